import { describe, expect, test } from 'vitest'
import { agentVariables } from '../../../../src/cli/program/configuration/agent-mode.ts'
import { operator } from '../../../support/operator.ts'

const agent = { CLAUDECODE: '1' }

describe('started by a coding agent on a terminal', () => {
  test('a table has tabs, full values and no color', async () => {
    const { run } = operator()
    const atTerminal = await run('tools list', { terminal: true, columns: 60, env: agent })
    const piped = await run('tools list')
    expect(atTerminal.stdout).toBe(piped.stdout)
    expect(atTerminal.stdout).toContain('\thttps://practice.northwind.example/appointments\t')
  })

  test('JSON has no spaces, and is the same document', async () => {
    const { run } = operator()
    const { stdout } = await run('tools get 1 --json', { terminal: true, env: agent })
    expect(stdout).toBe(`${JSON.stringify(JSON.parse((await run('tools get 1 --json')).stdout))}\n`)
    for (const line of ['schema tools.create', 'api GET /tools/1'])
      expect((await run(line, { env: agent })).stdout.trim(), line).not.toContain('\n')
  })

  test.each([
    ['tools get 99', 'not_found'],
    ['tools get', 'usage'],
    ['tools nonsense', 'usage'],
    ['nonsense', 'usage'],
    ['tools', 'usage'],
    ['tools list --nonsense', 'usage'],
    ['tools list -o tsv --nonsense', 'usage'],
  ])('the error of "%s" is one JSON object', async (line, code) => {
    const { stdout, stderr } = await operator().run(line, { terminal: true, env: agent })
    expect(stdout).toBe('')
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(stderr).error.code).toContain(code)
  })

  test('a purchase asks nothing, and names the flag that agrees', async () => {
    const { run } = operator()
    const { exitCode, asked, requests, stderr } = await run('numbers buy +442077856505', {
      terminal: true,
      env: agent,
    })
    expect(exitCode).toBe(10)
    expect(asked).toEqual([])
    expect(requests.filter((it) => it.startsWith('POST'))).toEqual([])
    expect(JSON.parse(stderr).error.hint).toContain('--yes')
  })

  test('a document from the keyboard is empty instead of awaited', async () => {
    const { exitCode, stderr } = await operator().run('tools create --file -', { terminal: true, env: agent })
    expect(exitCode).toBe(2)
    expect(JSON.parse(stderr).error.message).toMatch(/empty/i)
  })

  test('a chat needs messages, and names the commands that do without a person', async () => {
    const { run } = operator()
    for (const how of [{ terminal: true }, { stdin: '' }]) {
      const { exitCode, stderr, requests } = await run('conversations chat --assistant 1', { ...how, env: agent })
      expect(exitCode).toBe(2)
      expect(JSON.parse(stderr).error.hint).toContain('parley conversations send <id> --message <text>')
      expect(requests.filter((it) => it.startsWith('POST'))).toEqual([])
    }
    const piped = await run('conversations chat --assistant 1 -o ndjson', { stdin: 'Hello\nBye\n', env: agent })
    expect(piped, piped.stderr).toMatchObject({ exitCode: 0 })
    expect(piped.stdout.match(/"type":"item"/g)).toHaveLength(2)
  })

  test('help that cannot be written is reported as one JSON object', async () => {
    for (const line of ['--help', 'numbers buy --help', 'tools list']) {
      const { exitCode, stderr } = await operator().run(line, { terminal: true, full: true, env: agent })
      expect(exitCode).toBe(1)
      expect(JSON.parse(stderr).error.message).toContain('no space left on the device (ENOSPC)')
    }
  })

  test('a write names the next command on stderr, also with JSON', async () => {
    const { stdout, stderr } = await operator().run('folders create --name Autumn --json', {
      env: agent,
    })
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Autumn' })
    expect(stderr).toMatch(/^Next: parley /m)
  })

  test('-o table keeps errors for people', async () => {
    const { stderr } = await operator().run('tools get 99 -o table', { env: agent })
    expect(stderr).toMatch(/^error: /)
  })

  test('whoami and doctor say which agent it is', async () => {
    const { json, run } = operator()
    expect(await json('whoami', { env: agent })).toMatchObject({
      agent: { variable: 'CLAUDECODE', name: 'Claude Code' },
    })
    expect(await json('whoami')).toMatchObject({ agent: null })
    expect((await run('whoami', { env: { AI_AGENT: 'ada' } })).stdout).toContain('Agent\tada (AI_AGENT)\n')
    const found = await json<{ check: string; detail: string }[]>('doctor', { env: agent })
    expect(found.find(({ check }) => check === 'agent')?.detail).toBe(
      'Started by Claude Code (CLAUDECODE). Output is for an agent: no questions, tab-separated tables, and errors as JSON.',
    )
  })
})

test.each(agentVariables)('%s announces an agent', async (variable) => {
  const { run } = operator()
  for (const value of ['1', 'some-id']) {
    const { stderr } = await run('tools get 99', { terminal: true, env: { [variable]: value } })
    expect(JSON.parse(stderr).error.code).toBe('not_found')
  }
  expect((await run('tools get 99', { env: { [variable]: '0' } })).stderr).toMatch(/^error: /)
})

test('PARLEY_AGENT decides the output, with or without an agent', async () => {
  const { run } = operator()
  const forPeople = await run('tools list', { terminal: true, columns: 60 })
  expect((await run('tools list', { terminal: true, columns: 60, env: { ...agent, PARLEY_AGENT: '0' } })).stdout).toBe(
    forPeople.stdout,
  )
  const { stderr } = await run('tools get 99', { env: { PARLEY_AGENT: '1' } })
  expect(JSON.parse(stderr).error.code).toBe('not_found')
  expect((await run('doctor', { env: { PARLEY_AGENT: '1' } })).stdout).toContain('PARLEY_AGENT decides it.')
})
