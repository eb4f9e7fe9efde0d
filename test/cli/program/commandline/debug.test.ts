import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const by = operator({ lasts: 'file' })
const noFolder = { PARLEY_DATA_DIR: '/dev/null/parley' }
const stack = /^\w*Error: .*\n\s+at .*$/m

test.each([
  ['--debug', {}],
  ['', { PARLEY_DEBUG: '1' }],
])('an internal error has its stack with "%s" and %o', async (flag, env) => {
  const { exitCode, stderr } = await by.run(`keys list ${flag}`, { env: { ...noFolder, ...env } })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(stack)
})

test.each([{}, { PARLEY_DEBUG: '0' }])('an internal error has no stack otherwise (%o)', async (env) => {
  const { exitCode, stderr } = await by.run('keys list', { env: { ...noFolder, ...env } })
  expect(exitCode).toBe(1)
  expect(stderr).not.toMatch(stack)
})
