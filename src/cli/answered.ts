/** What somebody answered to a question, as the command line would have said it. */
export type Answered =
  /** `instead` of flags that only said what to choose from. */
  | { readonly argument: string; readonly instead?: readonly string[] }
  /** Without a value the flag stands alone; a secret one is not shown. */
  | { readonly flag: string; readonly value?: string; readonly isSecret?: true }

interface Answers {
  readonly answered: Answered[]
}

/** Notes that a question stood for the argument. */
export function gaveArgument({ answered }: Answers, value: string | number): void {
  answered.push({ argument: String(value) })
}

/** Notes that a question stood for a flag, with its dashes. */
export function gaveFlag({ answered }: Answers, flag: string, value?: unknown): void {
  answered.push(
    value === undefined ? { flag } : { flag, value: typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value) },
  )
}

/** The same of a secret, which the line takes from a variable of the shell; `before` stands in front of it: `api_key=`. */
export function gaveSecret({ answered }: Answers, flag: string, name: string, before = ''): void {
  answered.push({ flag, value: `${before}$${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`, isSecret: true })
}

/** A word as a shell takes it for one, and leaves it as it is. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Words of a command line without some flags and their values. */
const without = (rest: readonly string[], flags: readonly string[]): string[] =>
  rest.filter((word, n) => !flags.some((flag) => word === flag || word.startsWith(`${flag}=`) || rest[n - 1] === flag))

/** The line that does the same without a question: the words and what was given with them, then what was answered. */
export function withoutQuestions(words: string, rest: readonly string[], answered: readonly Answered[]): string {
  const argument = answered.flatMap((it) => ('argument' in it ? [quoted(it.argument)] : []))
  const flags = answered.flatMap((it) => {
    if ('argument' in it) return []
    if (it.value === undefined) return [it.flag]
    return [it.flag, it.isSecret ? `"${it.value}"` : quoted(it.value)]
  })
  const superseded = answered.flatMap((it) => ('argument' in it ? (it.instead ?? []) : []))
  return ['parley', words, ...argument, ...without(rest, superseded).map(quoted), ...flags].join(' ')
}
