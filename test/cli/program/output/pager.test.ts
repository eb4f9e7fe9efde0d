import { expect, test } from 'vitest'
import { operator, type RunOptions } from '../../../support/operator.ts'

const by = operator({ lasts: 'file' })

/** Runs a command on a terminal of six lines, and returns what the pager was given. */
async function paged(line: string, options: RunOptions = {}) {
  const calls: { readonly command: readonly string[]; readonly input: string }[] = []
  const ran = await by.run(line, {
    terminal: true,
    rows: 6,
    program: (command, input) => {
      calls.push({ command, input })
      return 0
    },
    ...options,
    env: { PARLEY_PAGER: 'less', CI: undefined, ...options.env },
  })
  return { ...ran, calls }
}

test('a long table on a terminal is shown in the pager', async () => {
  const { calls, stdout, exitCode } = await paged('leads list')
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 })
  expect(calls).toHaveLength(1)
  expect(calls[0]?.command).toEqual(['sh', '-c', 'LESS="${LESS-FRX}" less'])
  expect(calls[0]?.input.split('\n').length).toBeGreaterThan(6)
})

test('PARLEY_PAGER takes precedence over PAGER, and empty means none', async () => {
  expect((await paged('leads list', { env: { PAGER: 'more' } })).calls[0]?.command.at(-1)).toMatch(/ less$/)
  expect((await paged('leads list', { env: { PARLEY_PAGER: undefined, PAGER: 'more' } })).calls).toHaveLength(1)
  expect((await paged('leads list', { env: { PARLEY_PAGER: '', PAGER: 'more' } })).calls).toEqual([])
})

test.each<[string, string, RunOptions]>([
  ['short tables', 'tools list --limit 1', { rows: 40 }],
  ['machine formats', 'leads list -o csv', {}],
  ['single records', 'leads get 5', {}],
  ['pipes', 'leads list', { terminal: false }],
  ['CI', 'leads list', { env: { CI: 'true' } }],
  ['dumb terminals', 'leads list', { env: { TERM: 'dumb' } }],
  ['terminals of unknown height', 'leads list', { rows: 0 }],
])('%s are not paged', async (_what, line, options) => {
  const { calls, stdout } = await paged(line, options)
  expect(calls).toEqual([])
  expect(stdout).not.toBe('')
})

test('a pager that cannot be started is skipped', async () => {
  const { stdout } = await paged('leads list', { program: () => 127 })
  expect(stdout).toContain('+1')
})
