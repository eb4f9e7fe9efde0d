import { beforeAll, expect, test } from 'vitest'
import type { Operator } from '../../../support/operator.ts'
import { expectCaught, regressions, testedProject } from './regressions.ts'

let by: Operator
beforeAll(async () => {
  by = await testedProject()
})

// The long suite has all of them with all scenarios, and a hundred runs.
test.each([
  [0, 'Books an appointment'],
  [19, 'Hands over to the recall desk'],
])('a mistake is caught: %i by "%s"', async (n, scenario) =>
  expectCaught(by, regressions[n] as (typeof regressions)[number], `--scenario "${scenario}"`),
)

test('repeated runs without a mistake pass', async () => {
  const run = await by.run('assistants test --assistant Recall --repeat 2 --json')
  const verdicts = JSON.parse(run.stdout).map((result: { verdict: string; runs: number; failed_runs: number }) => [
    result.verdict,
    result.runs,
    result.failed_runs,
  ])
  expect(verdicts).toEqual(Array.from({ length: 4 }, () => ['passed', 2, 0]))
})
