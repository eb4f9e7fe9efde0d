import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('the help of a create command marks the flags that are required', async () => {
  const { run } = operator()
  const { stdout } = await run('tools create --help')
  const flags = stdout.replace(/\n {20,}/g, ' ')
  for (const flag of ['name', 'description', 'endpoint', 'method'])
    expect(flags, flag).toMatch(new RegExp(`--${flag} <text> .*\\(.*required`))
  for (const flag of ['body-format', 'tool-timeout', 'headers', 'from-automation'])
    expect(flags, flag).not.toMatch(new RegExp(`--${flag} <\\w+> .*required`))
  expect((await run('tools update --help')).stdout).not.toContain('required')
})

test('the help of the program has one name for each noun; the help of a noun has its other names', async () => {
  const { run } = operator()
  const { stdout } = await run('help')
  expect(stdout).toMatch(/^ {2}automate {2,}Multi-step workflows/m)
  expect(stdout).not.toMatch(/automations,|profiles|references/)
  const noun = (await run('automate --help')).stdout
  expect(noun).toMatch(/^Aliases: automations$/m)
  for (const alias of ['automations', 'automation']) expect((await run(`${alias} --help`)).stdout).toBe(noun)
})
