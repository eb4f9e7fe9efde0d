/** Whether the long suite runs: a file that imports this module is named `*.cases.test.ts` or `*.full.test.ts`. */
export const runsAll = process.env.PARLEY_TEST_ALL_CASES !== undefined

/** Returns how many generated cases a test tries: `all` in the long suite, `some` in `npm test`. */
export const caseCount = (all: number, some: number): number => (runsAll ? all : some)

/** Returns cases of a table that only the long suite runs, because others of the table prove the same rule. */
export const longOnly = <T>(...cases: T[]): T[] => (runsAll ? cases : [])

/** Returns every n-th case of a table whose cases prove the same rule; all of them in the long suite. */
export const everyNth = <T>(n: number, cases: readonly T[]): readonly T[] =>
  runsAll ? cases : cases.filter((_, at) => at % n === 0)
