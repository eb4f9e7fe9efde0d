import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const staging = '1|stagingstagingstagingstaging'
const production = '2|productionproductionproduction'

/** An operator with two profiles of platforms elsewhere. */
async function withProfiles(): Promise<Operator> {
  const by = operator()
  await by.run('profile set staging --url https://staging.example --api-key-stdin', { stdin: staging })
  await by.run('profile set production --url https://production.example --api-key-stdin', { stdin: production })
  return by
}

interface Reached {
  readonly base: string
  readonly key: string | undefined
  readonly exitCode: number
  readonly stderr: string
}

/** Where a command line goes, and with which key. */
async function reach(by: Operator, flags = '', options: RunOptions = {}): Promise<Reached> {
  let base = ''
  let request: PlainRequest | undefined
  const connect: RunOptions['connect'] = async (url) => ({
    base: url,
    close: async () => {},
    send: async (sent) => {
      base = url
      request = sent
      return { status: 200, headers: {}, body: '{"api_keys":[]}' }
    },
  })
  const { exitCode, stderr } = await by.run(`keys list --json ${flags}`, { connect, ...options })
  return { base, key: request?.headers.authorization?.replace('Bearer ', ''), exitCode, stderr }
}

describe('the platform', () => {
  test('is selected by the flag, then the environment, then .parley.yaml, then "profile use", then the local platform', async () => {
    const by = await withProfiles()
    expect(await reach(by)).toMatchObject({ base: '' })
    await by.run('profile use staging')
    expect(await reach(by)).toMatchObject({ base: 'https://staging.example', key: staging })
    writeFileSync(join(by.cwd, '.parley.yaml'), 'profile: production\n')
    expect(await reach(by)).toMatchObject({ base: 'https://production.example', key: production })
    expect(await reach(by, '', { env: { PARLEY_PROFILE: 'staging' } })).toMatchObject({
      base: 'https://staging.example',
      key: staging,
    })
    expect(await reach(by, '-p production', { env: { PARLEY_PROFILE: 'staging' } })).toMatchObject({
      base: 'https://production.example',
      key: production,
    })
    expect(await reach(by, '-p local')).toMatchObject({ base: '', exitCode: 0 })
  })

  test('is selected by the nearest .parley.yaml in a parent folder', async () => {
    const by = await withProfiles()
    const deep = join(by.cwd, 'a', 'b')
    mkdirSync(deep, { recursive: true })
    writeFileSync(join(by.cwd, '.parley.yaml'), 'profile: production\n')
    expect(await reach(by, '', { cwd: deep })).toMatchObject({ base: 'https://production.example' })
    writeFileSync(join(by.cwd, 'a', '.parley.yaml'), 'profile: staging\n')
    expect(await reach(by, '', { cwd: deep })).toMatchObject({ base: 'https://staging.example' })
  })

  test('may be a base URL, which takes precedence over every profile', async () => {
    const by = await withProfiles()
    const env = { PARLEY_API_KEY: '3|mine', PARLEY_BASE_URL: 'https://env.example', PARLEY_PROFILE: 'staging' }
    expect(await reach(by, '', { env })).toMatchObject({ base: 'https://env.example', key: '3|mine' })
    expect(await reach(by, '--base-url https://flag.example -p production', { env })).toMatchObject({
      base: 'https://flag.example',
      key: '3|mine',
    })
  })

  test('that is unknown causes an error, except in commands that create or list profiles', async () => {
    const by = await withProfiles()
    writeFileSync(join(by.cwd, '.parley.yaml'), 'profile: stagging\n')
    const { exitCode, stdout, stderr } = await by.run('keys list')
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(stderr).toContain(
      `Unknown profile "stagging" (from ${join(by.cwd, '.parley.yaml')}). Did you mean "staging"?`,
    )
    for (const line of ['profile list', 'help', 'profile set stagging --url https://x.example', 'keys list --help'])
      expect(await by.run(line), line).toMatchObject({ exitCode: 0 })
  })
})

describe('a key', () => {
  test('of the environment takes precedence over the key of the profile', async () => {
    const by = await withProfiles()
    expect(await reach(by, '-p staging', { env: { PARLEY_API_KEY: ' 3|mine\n' } })).toMatchObject({
      base: 'https://staging.example',
      key: '3|mine',
    })
  })

  test('of a profile is never sent to another URL', async () => {
    const by = await withProfiles()
    await by.run('profile use staging')
    for (const options of [
      { flags: '--base-url https://evil.example' },
      { flags: '', env: { PARLEY_BASE_URL: 'https://evil.example' } },
      { flags: '-p staging --base-url https://staging.example.evil.example' },
    ]) {
      const { base, exitCode, stderr } = await reach(
        by,
        options.flags,
        'env' in options ? { env: options.env as Record<string, string> } : {},
      )
      expect({ base, exitCode }).toEqual({ base: '', exitCode: 3 })
      expect(JSON.parse(stderr).error).toMatchObject({
        code: 'no_key',
        message: 'Missing API key for this platform.',
      })
    }
    expect(await reach(by, '--base-url https://staging.example')).toMatchObject({ key: staging })
  })

  test('of the local platform is never sent to another platform', async () => {
    expect(await reach(operator(), '--base-url https://elsewhere.example')).toMatchObject({ base: '', exitCode: 3 })
  })

  test('may come from a command, which runs once and only when needed', async () => {
    const by = operator()
    const log = join(by.cwd, 'log')
    await by.run([
      'profile',
      'set',
      'vault',
      '--url',
      'https://vault.example',
      '--api-key-command',
      `echo asked >> ${log}; echo '7|from the vault' | tr -d ' '`,
    ])
    expect(await by.json('profile get -p vault')).toMatchObject({ key: 'command' })
    expect(await reach(by, '-p vault')).toMatchObject({ base: 'https://vault.example', key: '7|fromthevault' })
    expect(readFileSync(log, 'utf8')).toBe('asked\n')
    await by.run(['profile', 'set', 'vault', '--api-key-command', 'echo locked >&2; exit 3'])
    expect(await reach(by, '-p vault')).toMatchObject({
      base: '',
      exitCode: 2,
      stderr: expect.stringContaining('printed no key (exit code 3)'),
    })
  })

  test('that is malformed is refused before it is sent', async () => {
    expect(await reach(await withProfiles(), '-p staging', { env: { PARLEY_API_KEY: '1|a b' } })).toMatchObject({
      base: '',
      exitCode: 3,
    })
  })

  test.each(['api_key: 1|x', 'api_key: ""', '{profile: local, api_key: 1|x}'])(
    'does not belong in .parley.yaml: %s',
    async (text) => {
      const by = operator()
      writeFileSync(join(by.cwd, '.parley.yaml'), `${text}\n`)
      const { exitCode, stdout, stderr, requests } = await by.run('keys list')
      expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
      expect(stderr).toContain('API keys are not allowed in project files.')
      expect(stderr).not.toContain('1|x')
    },
  )
})

test('the output format is selected by the flag, then the environment, then .parley.yaml, then the profile', async () => {
  const by = operator()
  const form = async (flags = '', env = {}): Promise<string> => {
    const { stdout } = await by.run(`tools get 1 --fields id ${flags}`, { env })
    return (
      (
        {
          'ID\t1\n': 'table',
          '{\n  "id": 1\n}\n': 'json',
          '{"id":1}\n': 'ndjson',
          'id: 1\n': 'yaml',
          'id\n1\n': 'tsv',
        } as Record<string, string>
      )[stdout] ?? stdout
    )
  }
  expect(await form()).toBe('table')
  await by.run('profile set local --default-output yaml')
  expect(await form()).toBe('yaml')
  writeFileSync(join(by.cwd, '.parley.yaml'), 'output: ndjson\n')
  expect(await form()).toBe('ndjson')
  expect(await form('', { PARLEY_OUTPUT: 'tsv' })).toBe('tsv')
  expect(await form('-o table', { PARLEY_OUTPUT: 'tsv' })).toBe('table')
  expect(await form('--json', { PARLEY_OUTPUT: 'tsv' })).toBe('json')
  expect(await by.run('keys list', { env: { PARLEY_OUTPUT: 'xml' } })).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('Unknown output format "xml".'),
  })
})

test('an invalid .parley.yaml is reported with the position and the error', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, '.parley.yaml'), 'profile: [\n')
  expect(await by.run('keys list')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining(`${join(by.cwd, '.parley.yaml')} is not valid YAML`),
  })
})

test('whoami and "profile get --origin" show where each value came from', async () => {
  const by = await withProfiles()
  expect(await by.json('whoami --fields profile,base_url,via,origin')).toEqual({
    profile: 'local',
    base_url: 'embedded:',
    via: 'embedded',
    origin: { profile: 'built_in', base_url: 'profile', key: 'data_folder' },
  })
  const origin = async (flags: string, env = {}) => (await by.json(`profile get --origin ${flags}`, { env })).origin
  const rest = {
    output: 'built_in',
    timeout: 'built_in',
    retries: 'built_in',
    vocabulary: 'built_in',
    routes: 'built_in',
    protected: 'built_in',
    read_only: 'built_in',
    confirm_above: 'built_in',
    budget: 'built_in',
    history: 'built_in',
  }
  expect(await origin('-p staging')).toEqual({
    ...rest,
    profile: 'flag',
    base_url: 'profile',
    key: 'profile',
  })
  expect(await origin('', { PARLEY_PROFILE: 'production', PARLEY_API_KEY: 'x' })).toEqual({
    profile: 'environment',
    base_url: 'profile',
    key: 'environment',
    ...rest,
  })
  expect(await origin('--base-url https://x.example')).toEqual({
    ...rest,
    profile: 'flag',
    base_url: 'flag',
    key: 'none',
  })
  expect(await origin('--timeout 5', { PARLEY_RETRIES: '1' })).toMatchObject({
    timeout: 'flag',
    retries: 'environment',
  })
  await by.run('profile set staging --default-output yaml --protected --vocabulary public')
  const shown = async (flags: string, env = {}): Promise<object> => {
    const { parse } = await import('yaml')
    return parse(
      (await by.run(`profile get --origin -p staging ${flags} --fields output,origin -o yaml`, { env })).stdout,
    )
  }
  expect(await shown('')).toMatchObject({
    output: 'yaml',
    origin: {
      output: 'profile',
      protected: 'profile',
      vocabulary: 'profile',
      read_only: 'built_in',
      confirm_above: 'built_in',
    },
  })
  expect(await shown('', { PARLEY_OUTPUT: 'json' })).toMatchObject({
    output: 'json',
    origin: { output: 'environment' },
  })
  await by.run('profile use staging')
  expect((await origin('')).profile).toBe('selected_profile')
  writeFileSync(join(by.cwd, '.parley.yaml'), 'profile: production\n')
  expect((await origin('')).profile).toBe('project_file')
})

test('timeouts and retries are set by flags, then the environment', async () => {
  const by = operator()
  expect(await by.json('profile get --fields timeout,retries')).toEqual({ timeout: 30, retries: 3 })
  const env = { PARLEY_TIMEOUT: '5', PARLEY_RETRIES: '0' }
  expect(await by.json('profile get --fields timeout,retries', { env })).toEqual({ timeout: 5, retries: 0 })
  expect(await by.json('profile get --fields timeout,retries --timeout 0.5 --retries 9', { env })).toEqual({
    timeout: 0.5,
    retries: 9,
  })
})

test('whoami names the local platform with its folder, and on a terminal the unit of the balance', async () => {
  const by = operator()
  const { stdout } = await by.run('whoami', { terminal: true, env: { NO_COLOR: '1' } })
  expect(stdout).toMatch(/^Balance\s+25\.00 USD$/m)
  expect(stdout).toMatch(/^Platform\s+local platform \(\/.+\)$/m)
  expect(stdout).toMatch(/^Origin key\s+the data folder$/m)
  for (const line of ['whoami', 'profile get --origin', 'profile list'])
    expect((await by.run(line)).stdout, line).not.toContain('embedded')
})
