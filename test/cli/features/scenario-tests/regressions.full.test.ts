import { beforeAll, expect, test } from 'vitest'
import type { Operator } from '../../../support/operator.ts'
import { expectCaught, regressions, testedProject } from './regressions.ts'

let by: Operator
beforeAll(async () => {
  by = await testedProject()
})

test('there are at least twenty mistakes', () => expect(regressions.length).toBeGreaterThanOrEqual(20))

test.each(regressions)('a mistake is caught: %s', async (...regression) => expectCaught(by, regression))

test('none of a hundred runs without a mistake fails', { timeout: 3_600_000 }, async () => {
  const run = await by.run('assistants test --repeat 100 --json')
  const failed = JSON.parse(run.stdout).filter((it: { verdict: string }) => it.verdict !== 'passed')
  expect(failed).toEqual([])
  expect(run.exitCode).toBe(0)
})
