import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('the tour runs real commands on a temporary platform, shows each before its result, and deletes its files', async () => {
  const by = operator({ fresh: true })
  const { exitCode, stdout, stderr } = await by.run('demo')
  expect(exitCode).toBe(0)
  const folder = /temporary local platform in\s+(\S+)\.\n/.exec(stdout)?.[1] as string
  expect(folder).toContain('parley-demo-')
  expect(existsSync(folder)).toBe(false)
  expect(existsSync(by.dataDir) && readdirSync(by.dataDir)).toBe(false)
  const lines = stdout.split('\n').filter((it) => it.startsWith('$ parley '))
  expect(lines.length).toBeGreaterThan(8)
  for (const verb of [
    'whoami',
    'keys list',
    'tools update',
    'numbers search',
    'numbers buy',
    'assistants create',
    'sip-trunks create',
    'messaging send',
    'conversations start',
    'server simulate call',
    'automate test',
    'automate restore',
    'server clock advance',
  ]) {
    expect(
      lines.some((it) => it.startsWith(`$ parley ${verb}`)),
      verb,
    ).toBe(true)
  }
  expect(stdout).toContain('(exit code 10)')
  expect(stdout).toContain('(exit code 5)')
  expect(stdout).toMatch(/Phone number purchased successfully\. \+44\d{10}, 1\.30 USD\/month\. Id: \d+/)
  expect(stdout).toMatch(/Renewal of \+\d+/)
  expect(stdout).toMatch(/--name "Evening desk" .*\nAssistant created successfully\./)
  for (const said of ['SIP trunk created successfully', 'Message to +14155550111 queued', '-0.008'])
    expect(stdout).toContain(said)
  expect(stderr).not.toContain('Something went wrong')
})

test('the tour does not prompt, ignores the environment and sends nothing to other platforms', async () => {
  const by = operator({ fresh: true })
  const env = {
    PARLEY_API_KEY: '1|abcdefghijklmnop',
    PARLEY_BASE_URL: 'https://platform.example',
    PARLEY_PROFILE: 'nope',
    PARLEY_OUTPUT: 'json',
  }
  const { exitCode, stdout } = await by.run('demo', {
    terminal: true,
    env,
    connect: async () => {
      throw new Error('The tour must not leave this machine.')
    },
  })
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain('platform.example')
})

test('the first screen says in 15 short lines what the program is for', async () => {
  const { stdout } = await operator({ fresh: true }).run('demo')
  const lines = stdout.slice(0, stdout.indexOf('\n\n#')).split('\n')
  expect(lines.length).toBeLessThanOrEqual(15)
  // The name of the folder has any length.
  expect(lines.filter((it) => it.length > 80 && !it.includes('parley-demo-'))).toEqual([])
  expect(stdout).not.toContain('\x1b')
})

test('on a terminal, the tour has colors and tables', async () => {
  const { stdout } = await operator({ fresh: true }).run('demo', { terminal: true })
  expect(stdout).toContain('\x1b[1m$ parley whoami\x1b[22m')
  expect(stripVTControlCharacters(stdout)).toMatch(/^ID +Name +/m)
})

test.each([
  ['demo --step', '--step requires a terminal'],
  ['demo --step --project practice', '--step cannot be combined with --project'],
])('%s is refused without a terminal', async (line, message) => {
  const by = operator({ fresh: true })
  expect(await by.run(line)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) })
  expect(readdirSync(by.cwd)).toEqual([])
})

test('a tour that is interrupted stops between two commands', async () => {
  const interrupt = new AbortController()
  interrupt.abort(130)
  expect(await operator({ fresh: true }).run('demo', { interrupt })).toMatchObject({ exitCode: 130 })
})

test('--project creates files of the sample assistants with twenty tests that pass at once', async () => {
  const by = operator({ fresh: true })
  const created = await by.run('demo --project practice')
  expect(created).toMatchObject({
    exitCode: 0,
    stdout: 'Created practice: the sample assistants and their tests.\n',
    stderr: expect.stringContaining('Next: parley assistants test practice'),
  })
  expect(existsSync(by.dataDir)).toBe(false)
  expect(readdirSync(join(by.cwd, 'practice')).sort()).toEqual(expect.arrayContaining(['assistants', 'tests', 'tools']))
  const { exitCode, stdout } = await by.run('assistants test practice --json')
  const results = JSON.parse(stdout)
  expect(exitCode).toBe(0)
  expect(results).toHaveLength(20)
  expect(existsSync(by.dataDir)).toBe(false)
  expect(await by.run('demo --project practice')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('The folder practice is not empty. Nothing was written.'),
  })
})
