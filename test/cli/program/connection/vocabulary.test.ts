import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { type Operator, operator, sampleSeed } from '../../../support/operator.ts'

const localKey = `1|${createSecretGenerator(sampleSeed)('key local', 40)}`

/** Starts a server in this process, and ends it when `use` is done with it. */
async function serving<T>(by: Operator, flags: string, use: (url: string) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  const ended = by.run(`server start --port 0 ${flags}`, { interrupt })
  const lock = join(by.dataDir, 'server.json')
  try {
    await expect.poll(() => existsSync(lock), { interval: 5 }).toBe(true)
    return await use(JSON.parse(readFileSync(lock, 'utf8')).url)
  } finally {
    interrupt.abort(130)
    await ended
  }
}

const chat = {
  extends: 'public',
  paths: { messaging: 'chat', tools: 'functions' },
  keys: { channel_message_id: 'chat_message_id', timeout: 'seconds' },
  values: { status: { online: 'up' } },
  bits: ['sms_capable'],
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into the answer
const get = async (url: string, path: string): Promise<{ status: number; body: any }> => {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${localKey}` } })
  return { status: answer.status, body: await answer.json() }
}

describe('a server', () => {
  test('uses the public vocabulary, and commands on its folder understand it', async () => {
    const by = operator({ supports: 'neutral' })
    const before = await by.json('messaging senders --status all')
    await serving(by, '--vocabulary public', async (url) => {
      expect(await get(url, '/api/user/whatsapp/senders?status=all')).toMatchObject({
        status: 200,
        body: { data: before },
      })
      expect(await get(url, '/api/user/messaging/senders')).toMatchObject({ status: 404 })
      expect((await get(url, '/api/user/phone-numbers/search')).body.data[0]).toHaveProperty('stripe_price_id')
      expect(await by.json('messaging senders --status all')).toEqual(before)
      expect(await by.json('server status --fields vocabulary')).toEqual({ vocabulary: 'public' })
      expect(await by.run('doctor')).toMatchObject({ exitCode: 0 })
    })
    expect(await by.json('server status --fields vocabulary')).toEqual({ vocabulary: 'neutral' })
  })

  test('uses a vocabulary from a file, and a profile that names the same file understands it', async () => {
    const by = operator({ supports: 'neutral' })
    const other = operator({ fresh: true, supports: 'neutral' })
    for (const user of [by, other]) writeFileSync(join(user.cwd, 'words.json'), JSON.stringify(chat))
    writeFileSync(
      join(other.cwd, 'words.yaml'),
      'extends: public\npaths: {messaging: chat, tools: functions}\nkeys: {timeout: seconds}\nvalues: {status: {online: up}}\n',
    )
    const senders = await by.json('messaging senders --status all')
    const tool = await by.json('tools get 1')
    await serving(by, '--vocabulary words.json', async (url) => {
      expect((await get(url, '/api/user/chat/senders?status=up')).body.data[0]).toMatchObject({ status: 'up' })
      expect((await get(url, '/api/user/phone-numbers/all')).body.data[0].sms_capable).toEqual(expect.any(Number))
      expect((await get(url, '/api/user/functions/1')).body).toMatchObject({ seconds: tool.timeout })
      for (const file of ['words.json', 'words.yaml']) {
        expect(
          await other.run(`profile set there --url ${url} --vocabulary ${file} --api-key-stdin`, { stdin: localKey }),
        ).toMatchObject({ exitCode: 0 })
        expect(await other.json('messaging senders --status all --profile there')).toEqual(senders)
        expect(await other.json('tools get 1 --profile there')).toEqual(tool)
        expect(await other.json('numbers list --profile there --fields sms_capable')).toContainEqual({
          sms_capable: true,
        })
        const { stderr } = await other.run('tools update 1 --tool-timeout 900 --profile there')
        expect(stderr).toContain('--tool-timeout: The timeout field must be between 1 and 30.')
      }
      expect(await other.json('doctor --profile there')).toContainEqual(
        expect.objectContaining({ check: 'vocabulary', status: 'ok' }),
      )
      expect(await by.json('server status --fields vocabulary')).toEqual({ vocabulary: 'custom' })
    })
  })

  test.each([
    ['{', 'is not valid JSON or YAML'],
    ['[]', 'it must contain an object'],
    ['{"keys": {"name": 3}}', '"keys" has the wrong format'],
    ['{"names": {}}', 'unknown key "names"'],
    ['{"extends": "other"}', '"extends" must be public or neutral'],
    ['{"keys": {"sender_id": "x", "template_id": "x"}}', 'two words map to "x"'],
    ['{"keys": {"sender_id": "template_id"}}', 'which is already another word'],
    ['{"bits": "fillers"}', '"bits" has the wrong format'],
  ])('is not started with the vocabulary %s', async (text, why) => {
    const by = operator()
    writeFileSync(join(by.cwd, 'words.json'), text)
    for (const line of [
      'server start --vocabulary words.json',
      'profile set x --url https://x.example --vocabulary words.json',
    ])
      expect(await by.run(line)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(why) })
  })

  test('is not started with a missing vocabulary', async () => {
    expect(await operator().run('server start --vocabulary nowhere.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Could not read the vocabulary'),
    })
  })
})

describe('a profile', () => {
  test('saves the absolute path of a vocabulary, and the routes of a file', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'words.json'), JSON.stringify(chat))
    writeFileSync(
      join(by.cwd, 'routes.yaml'),
      'numbers.search:\n  query: {contains: pattern}\ntools.update:\n  path: /api/v2/tools/{id}\n  body: {timeout: seconds}\n',
    )
    await by.run('profile set x --url https://x.example --vocabulary words.json --routes routes.yaml')
    expect(await by.json('profile list')).toContainEqual(
      expect.objectContaining({
        name: 'x',
        vocabulary: join(by.cwd, 'words.json'),
        routes: ['numbers.search', 'tools.update'],
      }),
    )
    expect(await by.run('profile set x --vocabulary neutral --routes none')).toMatchObject({ exitCode: 0 })
    expect(await by.json('profile get --profile x')).toMatchObject({ vocabulary: null, routes: null })
  })

  test('sends each endpoint to its route with its field names, and reports errors with neutral names', async () => {
    const by = operator()
    writeFileSync(
      join(by.cwd, 'r.json'),
      JSON.stringify({
        'tools.update': { path: '/v2/tools/{id}', body: { timeout: 'seconds' } },
        'numbers.search': { query: { contains: 'pattern' } },
      }),
    )
    await by.run('profile set x --url https://x.example --routes r.json --api-key-stdin', { stdin: localKey })
    const seen: string[] = []
    const connect = async () => ({
      base: 'https://x.example',
      close: async () => {},
      async send({ method, url, body }: { method: string; url: string; body?: string }) {
        seen.push([method, url, body].join(' ').trim())
        const refusal = { message: 'No.', errors: { seconds: ['The seconds field is too large.'] } }
        return {
          status: method === 'PUT' ? 422 : 200,
          headers: {},
          body: JSON.stringify(method === 'PUT' ? refusal : { data: [] }),
        }
      },
    })
    await by.run('numbers search --contains 55 --profile x', { connect })
    const { stderr } = await by.run('tools update 3 --tool-timeout 900 --profile x', { connect })
    expect(seen).toEqual([
      'GET /api/user/phone-numbers/search?pattern=55',
      'GET /api/user/tools/3',
      'PUT /v2/tools/3 {"seconds":900}',
    ])
    expect(stderr).toContain('--tool-timeout')
    expect((await by.run('tools update 3 --tool-timeout 900 --profile x --print-curl')).stdout).toContain(
      'https://x.example/v2/tools/3',
    )
  })

  test.each([
    [{ 'tools.updat': { path: '/x' } }, 'Did you mean "tools.update"?'],
    [{ 'tools.update': { path: 'x' } }, 'must start with a slash'],
    [{ 'tools.update': { path: '/x' } }, 'its path must have id, like /api/user/tools/{id}'],
    [{ 'tools.list': { path: '/x/{id}' } }, 'must have no parameters'],
    [{ 'numbers.search': { query: { cuontry: 'c' } } }, 'unknown name "cuontry" in its query'],
    [{ 'tools.update': { body: { name: 'a', timeout: 'a' } } }, 'two names in its body map to the same name'],
    [{ 'tools.update': { method: 'PATCH' } }, 'unknown key "method"'],
    [{ 'tools.update': [] }, 'it must be an object'],
  ])('refuses the routes %j', async (given, why) => {
    const by = operator()
    writeFileSync(join(by.cwd, 'r.json'), JSON.stringify(given))
    expect(await by.run('profile set x --url https://x.example --routes r.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(why),
    })
  })
})
