import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const key = '12|AbCdEfGhIjKlMnOpQrStUvWxYz0123456789wxyz'

async function withProfiles(): Promise<Operator> {
  const by = operator({ supports: 'neutral' })
  for (const name of ['staging', 'production'])
    await by.run(`profile set ${name} --url https://${name}.example --api-key-stdin`, { stdin: key })
  return by
}

const answering =
  (status: number, message: string): NonNullable<RunOptions['connect']> =>
  async (base) => ({
    base,
    close: async () => {},
    send: async () => ({ status, headers: {}, body: JSON.stringify({ message }) }),
  })

describe('.parley.yaml', () => {
  test.each([
    ['profil: staging', 'Unknown key "profil" in', 'Did you mean "profile"?'],
    ['profile: staging\nbase_url: https://x.example', 'Unknown key "base_url" in', 'Keys: profile, output.'],
    ['Profile: staging', 'Unknown key "Profile" in', 'Did you mean "profile"?'],
    ['profile: [staging]', '"profile" in', 'must be a string'],
    ['profile:', '"profile" in', 'must be a string'],
    ['- profile', 'must contain keys and values', 'profile: staging'],
    ['staging', 'must contain keys and values', 'profile: staging'],
  ])('with %j is refused before anything is sent', async (text, sentence, more) => {
    const by = await withProfiles()
    writeFileSync(join(by.cwd, '.parley.yaml'), `${text}\n`)
    mkdirSync(join(by.cwd, 'below'))
    for (const options of [{}, { cwd: join(by.cwd, 'below') }]) {
      const { exitCode, stdout, stderr, requests } = await by.run('labels create --name Urgent', options)
      expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
      expect(stderr).toContain(sentence)
      expect(stderr).toContain(more)
      expect(stderr).toContain(join(by.cwd, '.parley.yaml'))
    }
  })

  test('that is empty changes nothing', async () => {
    const by = await withProfiles()
    for (const text of ['', '# nothing yet\n']) {
      writeFileSync(join(by.cwd, '.parley.yaml'), text)
      expect(await by.json('profile get')).toMatchObject({ profile: 'local' })
    }
  })
})

describe('the profile that commands use', () => {
  test('is reported when it is set, used and removed', async () => {
    const by = await withProfiles()
    expect((await by.run('profile use staging')).stderr).toBe(
      'Commands use the profile "staging" (https://staging.example).\n',
    )
    expect((await by.run('profile set staging --protected')).stderr).toBe(
      'Commands use the profile "staging" (https://staging.example).\n',
    )
    expect((await by.run('profile set production --protected')).stderr).toBe(
      'Commands use the profile "staging" (https://staging.example). To use "production": parley profile use production, or pass --profile production.\n',
    )
    expect((await by.run('profile delete staging --yes')).stderr).toBe(
      'Commands use the profile "local" (local platform).\n',
    )
  })

  test.each([
    [
      'PARLEY_PROFILE',
      { PARLEY_PROFILE: 'production' },
      'the profile "production" (https://production.example)',
      'Unset PARLEY_PROFILE, or pass --profile staging.',
    ],
    [
      'PARLEY_BASE_URL',
      { PARLEY_BASE_URL: 'https://other.example' },
      'the https://other.example',
      'Unset PARLEY_BASE_URL, or pass --profile staging.',
    ],
  ])('is reported as overridden by %s', async (name, env, platform, remedy) => {
    const by = await withProfiles()
    const { exitCode, stderr } = await by.run('profile use staging', { env })
    expect(exitCode).toBe(0)
    expect(stderr).toBe(`warning: Commands still use ${platform}: ${name} overrides "parley profile use". ${remedy}\n`)
    expect((await by.run('profile set staging --protected', { env })).stderr).toContain(`${name} overrides`)
    expect((await by.run('profile list', { env })).stderr).toContain(
      `Commands use ${platform}: ${name} overrides "parley profile use".`,
    )
  })

  test('is reported as overridden by .parley.yaml, which may name none', async () => {
    const by = await withProfiles()
    const file = join(by.cwd, '.parley.yaml')
    writeFileSync(file, 'profile: production\n')
    expect((await by.run('profile use staging')).stderr).toContain(
      `${file} overrides "parley profile use". Change ${file}, or pass --profile staging.`,
    )
    writeFileSync(file, 'profile: gone\n')
    expect(await by.run('profile use staging')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`Unknown profile "gone" (from ${file})`),
    })
  })

  test('uses the key of PARLEY_API_KEY, and reports it', async () => {
    const by = await withProfiles()
    expect((await by.run('profile use staging', { env: { PARLEY_API_KEY: key } })).stderr).toContain(
      'PARLEY_API_KEY is set and overrides the key of every profile.',
    )
  })
})

describe('a key that is rejected', () => {
  test.each([
    [
      'of the profile',
      '--profile staging',
      {},
      'The API key for the profile "staging" (https://staging.example) was rejected.',
      'The key comes from profile staging. Sign in: parley login staging.',
    ],
    [
      'of PARLEY_API_KEY',
      '--profile staging',
      { PARLEY_API_KEY: key },
      'The API key for the profile "staging" (https://staging.example) was rejected.',
      'The key comes from PARLEY_API_KEY. Correct or unset PARLEY_API_KEY.',
    ],
    [
      'for an address',
      '--base-url https://x.example',
      { PARLEY_API_KEY: key },
      'The API key for https://x.example was rejected.',
      'The key comes from PARLEY_API_KEY.',
    ],
    [
      'of the local platform',
      '',
      { PARLEY_API_KEY: key },
      'The API key for the profile "local" (local platform) was rejected.',
      'The key comes from PARLEY_API_KEY.',
    ],
    [
      'of a profile of the local platform',
      '--profile second',
      {},
      'The API key for the profile "second" (local platform) was rejected.',
      'The key comes from profile second. Create a key for the account: parley server accounts key <id>. Then save it: parley profile set second --api-key-stdin.',
    ],
  ])('names the profile, the URL and where the key comes from: %s', async (_, flags, env, sentence, hint) => {
    const by = await withProfiles()
    await by.run('profile set second --url embedded: --api-key-stdin', { stdin: key })
    const { exitCode, stderr } = await by.run(`keys list ${flags}`, {
      env,
      connect: answering(401, 'Unauthenticated.'),
    })
    expect(exitCode).toBe(3)
    expect(stderr).toContain(`error: ${sentence}`)
    expect(stderr).toContain(hint)
  })

  test('keeps the message of the platform for programs', async () => {
    const by = await withProfiles()
    const { stderr } = await by.run('keys list --profile staging --json', {
      connect: answering(401, 'Unauthenticated.'),
    })
    expect(JSON.parse(stderr).error).toMatchObject({
      message: 'Unauthenticated.',
      hint: expect.stringContaining('The key comes from profile staging.'),
    })
  })

  test('from a command names the command', async () => {
    const by = await withProfiles()
    await by.run('profile set vault --url https://vault.example --api-key-command "printf 12"')
    const { stderr } = await by.run('keys list --profile vault', { connect: answering(401, 'Unauthenticated.') })
    expect(stderr).toContain(
      'The key comes from api_key_command of profile vault. Check the output of this command: printf 12',
    )
  })

  test('can lack a permission that the request needs (403)', async () => {
    const by = await withProfiles()
    const { exitCode, stderr } = await by.run('keys list --profile staging', {
      connect: answering(403, 'This action is unauthorized.'),
    })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('error: This action is unauthorized.')
    expect(stderr).toContain(
      'The request went to the profile "staging" (https://staging.example). The key comes from profile staging.',
    )
  })

  test('is reported before any request if there is none', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('profile set staging --url https://staging.example')
    const { exitCode, stderr, requests } = await by.run('keys list --profile staging')
    expect({ exitCode, requests }).toEqual({ exitCode: 3, requests: [] })
    expect(stderr).toContain('Missing API key for the profile "staging" (https://staging.example).')
    expect(stderr).toContain('Sign in: parley login staging. Or set PARLEY_API_KEY.')
  })
})
