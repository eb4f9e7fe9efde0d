import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type StartOptions, startPlatform, type TestPlatform } from '../src/platform.ts'

async function started(options?: StartOptions): Promise<TestPlatform> {
  const platform = await startPlatform(options)
  onTestFinished(() => platform.close())
  return platform
}

const ask = ({ url, key }: TestPlatform, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/api/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...(init.body ? { 'content-type': 'application/json' } : {}) },
  })

test('tests of users get a platform on a free port with a key, and it is removed afterwards', async () => {
  const mine = (): string[] => readdirSync(tmpdir()).filter((it) => it.startsWith('parley-platform-'))
  const before = mine()
  const [one, two] = await Promise.all([startPlatform({ seed: 7 }), startPlatform()])
  expect(one.url).not.toBe(two.url)
  expect((await ask(one, 'user/me')).status).toBe(200)
  expect(await ask(two, 'user/me')).toMatchObject({ status: 200 })
  const made = mine().filter((it) => !before.includes(it))
  expect(made.length).toBeGreaterThanOrEqual(2)
  await Promise.all([one.close(), two.close(), one.close()])
  await expect(ask(one, 'user/me')).rejects.toThrow()
  expect(mine().filter((it) => made.includes(it)).length).toBeLessThanOrEqual(made.length - 2)
})

test('a given folder is not deleted, and neither is its content', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-kept-'))
  const one = await startPlatform({ dataDir, seed: 7 })
  await one.close()
  expect(existsSync(join(dataDir, 'platform.db'))).toBe(true)
  expect((await started({ dataDir })).key).toBe(one.key)
})

test('its clock has the given time from the first row on, and tests can move it', async () => {
  const platform = await started({ seed: 7, clock: '2027-03-01T09:00:00Z' })
  expect(await platform.clock.now()).toMatchObject({ now: '2027-03-01T09:00:00.000000Z', frozen: true })
  const { api_keys } = (await (await ask(platform, 'user/api-keys')).json()) as { api_keys: { created_at: string }[] }
  expect(api_keys.map((it) => it.created_at.slice(0, 10))).toContain('2027-02-27')
  const { now, done } = await platform.clock.advance('31d')
  expect([now, done.map((it) => it.kind)]).toEqual([
    '2027-04-01T09:00:00.000000Z',
    expect.arrayContaining(['subscription']),
  ])
  expect((await platform.clock.until('next')).done).not.toEqual([])
  expect(await platform.clock.freeze('2028-01-01T00:00:00Z')).toMatchObject({ now: '2028-01-01T00:00:00.000000Z' })
  expect((await platform.clock.resume()).frozen).toBe(false)
  await expect(platform.clock.advance('a while')).rejects.toThrow('POST clock/advance failed with status 422')
  await expect(startPlatform({ clock: 'noon' })).rejects.toThrow('The option "clock" of startPlatform must be a time')
})

test('it fails on purpose from the start or on request, until the faults are cleared', async () => {
  const platform = await started({ faults: [{ endpoint: 'tools.list', status: 503 }] })
  expect((await ask(platform, 'user/tools')).status).toBe(503)
  const { id } = await platform.faults.add({ endpoint: 'tools.get', error: 'tools.not_found', times: 1 })
  expect((await ask(platform, 'user/tools/1')).status).toBe(404)
  expect((await ask(platform, 'user/tools/1')).status).toBe(200)
  expect(await platform.faults.list()).toMatchObject([{ fired: 1 }, { id, fired: 1 }])
  await platform.faults.clear()
  expect((await ask(platform, 'user/tools')).status).toBe(200)
  await expect(startPlatform({ faults: [{ endpoint: 'nothing at all' }] })).rejects.toThrow(
    'POST faults failed with status 422',
  )
})

test('one client, a frozen clock and the same seed give the same responses, byte for byte', async () => {
  const body = (it: object) => ({ method: 'POST', body: JSON.stringify(it) })
  const asked: readonly (readonly [string, RequestInit?])[] = [
    ['user/me'],
    ['user/api-keys'],
    ['user/api-keys', body({ name: 'ci' })],
    ['user/tools'],
    ['user/tools', body({ name: 'lookup', description: 'Looks up.', endpoint: 'https://example.com', method: 'GET' })],
    ['user/phone-numbers/search?country_code=US&contains=415'],
    ['user/phone-numbers/purchase', body({ phone_number: '+15005550006' })],
    ['user/phone-numbers/purchase', body({ phone_number: '+15005550003' })],
    ['user/phone-numbers/all'],
    ['user/assistants/get'],
    ['user/conversations'],
    ['user/calls'],
    ['user/campaigns'],
    ['user/leads'],
    ['user/lead', body({ phone_number: '+14155550177', campaign_id: 1 })],
    ['user/messaging/senders'],
    ['user/messaging/send', body({ sender_id: 1, template_id: 2, recipient_phone: '+14155550111' })],
    ['user/automate/flows'],
    ['user/nothing'],
    ['user/tools', body({ name: '' })],
  ]
  // Pages name their own address: the second platform listens where the first did.
  let port = 0
  async function answers(): Promise<string[]> {
    const platform = await started({ seed: 7, clock: '2027-03-01T09:00:00Z', port })
    port = Number(new URL(platform.url).port)
    const texts: string[] = []
    for (const [path, init] of asked) {
      const answer = await ask(platform, path, init)
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`)
      texts.push([`${path} ${answer.status}`, ...headers, await answer.text()].join('\n'))
    }
    const { done } = await platform.clock.advance('31d')
    const all = [...texts, JSON.stringify(done), await (await ask(platform, 'user/me')).text()]
    await platform.close()
    return all
  }
  const first = await answers()
  expect(await answers()).toEqual(first)
})

test('a request to a path has the key, unless it brings another', async () => {
  const platform = await started({ seed: 7 })
  expect((await platform.fetch('/api/user/me')).status).toBe(200)
  expect((await platform.fetch('/api/user/me', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
  expect((await platform.fetch(`${platform.url}/api/user/me`)).status).toBe(200)
  await expect(platform.fetch('api/user/me')).rejects.toThrow('The path "api/user/me" must start with a slash')
  await expect(platform.fetch('https://example.com/api/user/me')).rejects.toThrow(
    'fetch takes a path such as "/api/user/me" or a URL of this platform, not https://example.com/api/user/me.',
  )
})

test('after a reset, the data, the clock, the faults and the key are those of the start', async () => {
  const platform = await started({
    seed: 7,
    clock: '2027-03-01T09:00:00Z',
    faults: [{ endpoint: 'voices.list', status: 503 }],
  })
  const { key } = platform
  const before = await (await platform.fetch('/api/user/tools')).text()
  await platform.client.tools.delete({ id: 1 })
  await platform.clock.advance('31d')
  await platform.faults.add({ endpoint: '*', status: 500 })
  await Promise.all([platform.reset(), platform.reset()])
  expect(platform.key).toBe(key)
  expect((await platform.clock.now()).now).toBe('2027-03-01T09:00:00.000000Z')
  expect(await (await platform.fetch('/api/user/tools')).text()).toBe(before)
  expect((await platform.client.keys.list()).api_keys).toHaveLength(3)
  expect((await platform.faults.list()).map((it) => it.endpoint)).toEqual(['voices.list'])
})

test('a reset without a seed creates another key, which the platform and its client use', async () => {
  const platform = await started()
  const { key, client } = platform
  await client.keys.list()
  await platform.reset()
  expect(platform.key).not.toBe(key)
  expect((await platform.fetch('/api/user/me')).status).toBe(200)
  expect((await platform.client.keys.list()).api_keys).toHaveLength(3)
  await expect((await started({ empty: true })).reset()).rejects.toThrow('has no sample data to reset to')
})

test('a closed platform says so', async () => {
  const platform = await startPlatform()
  await platform[Symbol.asyncDispose]()
  await expect(platform.clock.now()).rejects.toThrow('The platform is closed.')
  await expect(platform.fetch('/api/user/me')).rejects.toThrow('The platform is closed.')
  await expect(platform.reset()).rejects.toThrow('The platform is closed.')
})

test('an error of the control API has its status and the invalid fields', async () => {
  const platform = await started()
  await expect(platform.clock.advance('a while')).rejects.toMatchObject({
    name: 'ControlError',
    status: 422,
    errors: { by: [expect.any(String)] },
  })
})

test.each<[object, string]>([
  [{ sed: 7 }, 'startPlatform has no option "sed". Its options are port, dataDir,'],
  [{ seed: '7' }, 'The option "seed" of startPlatform must be an integer from 0 to 2147483648, not "7".'],
  [{ port: 70_000 }, 'The option "port" of startPlatform must be a port number from 0 to 65535, not 70000.'],
  [{ dataDir: '' }, 'The option "dataDir" of startPlatform must be a path, not "".'],
  [{ faults: {} }, 'The option "faults" of startPlatform must be a list of fault rules, not {}.'],
  [{ limit: { name: 'x', max: 1 } }, 'The option "limit" of startPlatform must be an object { name, max, seconds }'],
  [{ language: { uri: 'x' } }, 'The option "language" of startPlatform must be an object { url, key, model }'],
  [{ empty: 'no' }, 'The option "empty" of startPlatform must be true or false, not "no".'],
])('the options %j are refused, and nothing starts', async (options, message) => {
  await expect(startPlatform(options as StartOptions)).rejects.toThrow(message)
})
