import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { countries } from '../../../../src/contract/values/countries.ts'
import { serve } from '../../../../src/platform/serve.ts'
import { longOnly } from '../../../support/case-count.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, sqlite, temporaryFolder } from '../../../support/databases.ts'
import { type Answered, type Api, isAlive, type Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})
const moment = Date.UTC(2027, 0, 31, 12)
const credentialsOf = ({ dataDir }: Place) => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
const me = (api: Api, key?: string | null) => api.ask('GET', '/api/user/me', key === undefined ? {} : { key })
const keyNames = async (api: Api): Promise<string[]> =>
  (await api.ask('GET', '/api/user/api-keys')).body.api_keys.map((it: { name: string }) => it.name)

/** Everything one client does and hears: each answer with its headers. */
async function story(api: Api): Promise<string> {
  const heard: Answered[] = []
  let n = 0
  const ask: Api['ask'] = async (method, url, asked = {}) => {
    const answer = await api.ask(method, url, { ...asked, headers: { ...asked.headers, 'x-request-id': `r${++n}` } })
    heard.push(answer)
    return answer
  }
  const headers = { 'parley-control': api.platform.credentials().control }
  const control = (method: string, url: string, body?: object) =>
    ask(method, url, { key: null, headers, ...(body && { body }) })
  for (const path of ['me', 'tools', 'phone-numbers/all', 'api-keys']) await ask('GET', `/api/user/${path}`)
  for (const country of countries) await ask('GET', `/api/user/phone-numbers/search?country_code=${country}`)
  await ask('POST', '/api/user/api-keys', { body: { name: 'mine' } })
  const { token, data } = (
    await control('POST', '/control/accounts', { name: 'Second', payment_method: 'pm_card_visa', balance: 3 })
  ).body
  for (const number of ['+15005550006', '+15005550003', '+15005550004'])
    await ask('POST', '/api/user/phone-numbers/purchase', { key: token, body: { phone_number: number } })
  await ask('POST', '/api/user/tools', {
    key: token,
    body: { name: 'x', description: 'x', endpoint: 'https://x.example', method: 'GET' },
  })
  await control('POST', '/control/clock/advance', { by: '100d' })
  for (const path of ['tools', 'phone-numbers/all', 'api-keys']) await ask('GET', `/api/user/${path}`, { key: token })
  await control('GET', `/control/accounts/${data.id}/ledger`)
  await control('GET', '/control/accounts')
  // How far the wall is from the platform's time is not the platform's to say.
  return heard
    .map(
      ({ status, headers, text }) =>
        `${status} ${JSON.stringify(headers)} ${text.replace(/"offset_seconds":[-\d.]+/, '')}`,
    )
    .join('\n')
}

describe('a seed', () => {
  test('creates the same data and secrets: the same requests get the same bytes in every folder and on every database', async () => {
    const heard: string[] = []
    for (const database of [...databases, ...databases]) {
      const api = await openAt(await newPlace(database), { empty: true })
      await api.control('POST', '/control/clock/freeze', { at: new Date(moment).toISOString() })
      const { token } = (await api.control('POST', '/control/seed', { seed: 7 })).body
      heard.push(`${token}\n${await story(api)}`)
    }
    for (const other of heard.slice(1)) expect(other).toBe(heard[0])
  })

  test('creates the same data at the start of a platform, by seeding and by a reset', async () => {
    const started = await openAt(await newPlace(sqlite), { seed: 7, wall: () => moment })
    await started.control('POST', '/control/clock/freeze', {})
    const first = `${started.platform.credentials().key}\n${await story(started)}`
    const clock = new Date(moment).toISOString()
    const { token } = (await started.control('POST', '/control/reset', { seed: 7, clock })).body
    expect(`${token}\n${await story(started)}`).toBe(first)
  })

  test('of another number creates other data', async () => {
    const open = async (seed: number) => openAt(await newPlace(sqlite), { seed })
    const [one, two] = [await open(1), await open(2)]
    expect(one.platform.credentials().key).not.toBe(two.platform.credentials().key)
    const search = (api: Api) => api.ask('GET', '/api/user/phone-numbers/search')
    expect((await search(one)).text).not.toBe((await search(two)).text)
  })

  test('is saved with the data: the folder sells the same numbers later', async () => {
    const place = await newPlace(sqlite)
    const seeded = await openAt(place, { seed: 7 })
    const search = async (api: Api) => (await api.ask('GET', '/api/user/phone-numbers/search')).text
    const later = await openAt(place)
    expect(await search(later)).toBe(await search(seeded))
    expect(later.platform.credentials()).toEqual(seeded.platform.credentials())
    expect((await later.control('GET', '/control/status')).body.seed).toBe(7)
  })

  test('is public, so a server with a seed listens only on loopback', async () => {
    const base = { port: 0, pid: process.pid, isAlive }
    for (const host of ['0.0.0.0', '::', '192.0.2.1', '127.0.0.1.example']) {
      const refused = serve({ ...base, host, dataDir: temporaryFolder(), seed: 7 })
      await expect(refused, host).rejects.toThrow(/cannot listen on/)
    }
    const place = await newPlace(sqlite)
    await (await openAt(place, { seed: 7 })).platform.close()
    await expect(serve({ ...base, ...place, host: '0.0.0.0' })).rejects.toThrow(/cannot listen on/)
    const server = await serve({ ...base, ...place, host: '127.0.0.1' })
    await server.stop()
  })
})

describe.each(databases)('a new platform on $name', (database) => {
  test('has unique secrets', async () => {
    const [one, two] = [await openAt(await newPlace(database)), await openAt(await newPlace(database))]
    const secrets = [one, two].flatMap(({ platform }) => [
      platform.credentials().secret,
      platform.credentials().control,
    ])
    expect(new Set(secrets).size).toBe(4)
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9]{40}$/)
    expect((await me(two, one.platform.credentials().key)).status).toBe(401)
    const make = async (api: Api) =>
      (await api.ask('POST', '/api/user/api-keys', { body: { name: 'x' } })).body.api_key.token
    expect((await make(one)).split('|')[1]).not.toBe((await make(two)).split('|')[1])
  })

  test('has one account with keys, tools and numbers', async () => {
    const api = await openAt(await newPlace(database))
    expect((await api.control('GET', '/control/accounts')).body.data).toMatchObject([
      {
        id: 1,
        name: 'Northwind Dental',
        kind: 'tenant',
        balance: 25,
        minute_rate: null,
        payment_method: 'pm_card_visa',
        numbers: expect.any(Number),
      },
    ])
    expect(await keyNames(api)).toEqual(['local', 'ci', 'dashboard'])
    expect((await api.ask('GET', '/api/user/tools')).body.length).toBeGreaterThan(3)
    const { data } = (await api.ask('GET', '/api/user/phone-numbers/all')).body
    expect(data.filter((it: { type: string }) => it.type === 'normal')).toHaveLength(2)
    expect((await api.control('GET', '/control/status')).body).toMatchObject({
      database: database.name,
      seed: null,
      accounts: 1,
      numbers: data.length,
      due: 4,
      schema: expect.any(Number),
    })
    expect(await api.control('POST', '/control/seed', {})).toMatchObject({
      status: 409,
      body: { message: 'This platform already has data.' },
    })
  })

  test('hides its secrets from other users of the machine', async () => {
    const dataDir = join(temporaryFolder(), 'new')
    await openAt({ ...(await newPlace(database)), dataDir })
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect(mode(dataDir)).toBe('700')
    expect(mode(join(dataDir, 'credentials.json'))).toBe('600')
    if (database.name === 'sqlite') expect(mode(join(dataDir, 'platform.db'))).toBe('600')
  })

  test('can stay empty, without account and key', async () => {
    const place = await newPlace(database)
    const api = await openAt(place, { empty: true })
    expect(credentialsOf(place)).toMatchObject({ key: null })
    expect((await api.control('GET', '/control/status')).body).toMatchObject({ accounts: 0, numbers: 0, due: 0 })
    const { key } = await api.account({ name: 'First' })
    expect((await me(api, key)).body.name).toBe('First')
    const { token } = (
      await (await openAt(await newPlace(database), { empty: true })).control('POST', '/control/seed', {})
    ).body
    expect(token).toMatch(/^1\|/)
  })

  test.each([
    ['with a seed', 7],
    ['without a seed', undefined],
  ])('%s whose process dies before the key is saved still has one working key', async (_how, seed) => {
    const place = await newPlace(database)
    const first = await openAt(place, seed === undefined ? {} : { seed })
    const before = first.platform.credentials()
    await first.platform.close()
    writeFileSync(join(place.dataDir, 'credentials.json'), JSON.stringify({ ...before, key: null }))
    const api = await openAt(place)
    expect(api.platform.credentials()).toEqual(before)
    expect(credentialsOf(place)).toEqual(before)
    expect((await me(api)).status).toBe(200)
    expect(await keyNames(api)).toEqual(['local', 'ci', 'dashboard'])
  })
})

describe.each(databases)('resetting a platform on $name', (database) => {
  test('deletes everything, including the keys, and creates a new key', async () => {
    const place = await newPlace(database)
    const api = await openAt(place)
    const other = await api.account()
    await api.buy('+15005550006', other)
    const before = api.platform.credentials()
    const status = async (platform: Api) => {
      const { accounts, numbers, due } = (await platform.control('GET', '/control/status')).body
      return { accounts, numbers, due }
    }
    const { body } = await api.control('POST', '/control/reset', {})
    expect(body).toEqual({ message: 'Platform reset successfully.', token: api.platform.credentials().key })
    expect(credentialsOf(place)).toEqual(api.platform.credentials())
    expect(api.platform.credentials().control).toBe(before.control)
    for (const key of [before.key, other.key]) expect((await me(api, key)).status).toBe(401)
    expect((await me(api)).status).toBe(200)
    expect(await status(api)).toEqual(await status(await openAt(await newPlace(database))))
    const kinds = (await api.control('GET', '/control/accounts/1/ledger')).body.data.map(
      ({ kind }: { kind: string }) => kind,
    )
    expect(new Set(kinds)).toEqual(new Set(['top_up', 'charge']))
    expect(await api.buy('+15005550006')).toMatchObject({ status: 201 })
  })

  test('without a seed uses random secrets, also after an earlier seed', async () => {
    const place = await newPlace(database)
    const api = await openAt(place, { seed: 7 })
    const known = api.platform.credentials().secret
    await api.control('POST', '/control/reset', {})
    expect(api.platform.credentials().secret).not.toBe(known)
    expect(api.platform.credentials().key).toMatch(/^1\|/)
    expect((await me(api)).status).toBe(200)
    expect((await api.control('GET', '/control/status')).body.seed).toBeNull()
  })

  test('to a seed sells the numbers of that seed immediately', async () => {
    const [api, other] = [await openAt(await newPlace(database)), await openAt(await newPlace(database), { seed: 9 })]
    await api.control('POST', '/control/reset', { seed: 9 })
    const search = async (it: Api) => (await it.ask('GET', '/api/user/phone-numbers/search')).text
    expect(await search(api)).toBe(await search(other))
    expect(api.platform.credentials().key).toBe(other.platform.credentials().key)
  })

  test('returns a frozen or advanced clock to real time, or freezes it at a given time', async () => {
    const api = await openAt(await newPlace(database))
    await api.control('POST', '/control/clock/advance', { by: '31d' })
    await api.control('POST', '/control/reset', {})
    expect((await api.control('GET', '/control/clock')).body).toMatchObject({ frozen: false, offset_seconds: 0 })
    await api.control('POST', '/control/clock/freeze', {})
    await api.control('POST', '/control/clock/advance', { by: '31d' })
    await api.control('POST', '/control/reset', {})
    expect((await api.control('GET', '/control/clock')).body).toMatchObject({ frozen: false, offset_seconds: 0 })
    await api.control('POST', '/control/reset', { clock: '2027-01-31T12:00:00Z' })
    expect((await api.control('GET', '/control/clock')).body).toMatchObject({
      frozen: true,
      now: '2027-01-31T12:00:00.000000Z',
    })
  })

  test.each([{ seed: 8 }, ...longOnly({})])(
    'to %j in a process that is killed right after leaves one working key',
    async (body) => {
      const place = await newPlace(database)
      await (await openAt(place)).platform.close()
      const worker = start()
      afterFile(() => worker.kill())
      const { control } = await worker.tell({ do: 'open', settings: place, kill: 1 })
      const headers = { 'parley-control': control, 'content-type': 'application/json' }
      expect(
        await worker.tell({
          do: 'handle',
          request: { method: 'POST', url: '/control/reset', headers, body: JSON.stringify(body) },
        }),
      ).toBeUndefined()
      await worker.gone
      const api = await openAt(place)
      expect((await me(api)).status).toBe(200)
      expect(credentialsOf(place)).toEqual(api.platform.credentials())
      expect(await keyNames(api)).toEqual(['local', 'ci', 'dashboard'])
    },
  )
})
