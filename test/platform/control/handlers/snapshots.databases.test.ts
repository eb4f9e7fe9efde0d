import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { HttpPort } from '../../../../src/engine/ports.ts'
import { yieldToEventLoop } from '../../../../src/node/real-time.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import { migrations } from '../../../../src/platform/store/migrations/all.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { databases, sqlite, temporaryFolder } from '../../../support/databases.ts'
import { hook, http } from '../../../support/flow-definitions.ts'
import type { Api, Place } from '../../../support/platform/platform-api.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

type At = Api & { readonly place: Place }
const save = (api: At, body: object = {}) => api.control('POST', '/control/snapshots', body)
const restore = (api: At, name: string) => api.control('POST', `/control/snapshots/${name}/restore`, {})
const accounts = async (api: Api): Promise<string[]> =>
  (await api.control('GET', '/control/accounts')).body.data.map((it: { name: string }) => it.name)

describe('a snapshot', () => {
  test('restores everything: accounts, money, lists and their counters, next ids', async () => {
    const api = await fresh(sqlite, { seed: 7 })
    await api.account({ name: 'Before', balance: 5 })
    const tables = await tablesOf(api.place)
    const everything = async (): Promise<unknown> => {
      const names = await tables.read.introspection.getTables()
      const rows = names.map(
        async ({ name }) =>
          [
            name,
            await tables.read
              .selectFrom(name as 'account')
              .selectAll()
              .execute(),
          ] as const,
      )
      return Object.fromEntries(
        (await Promise.all(rows)).map(([name, all]) => [
          name,
          name === 'meta' ? all.filter((it) => (it as unknown as { key: string }).key !== 'restored') : all,
        ]),
      )
    }
    const before = await everything()
    const saved = await save(api, { name: 'before' })
    expect(saved).toMatchObject({
      status: 201,
      body: { data: { name: 'before', status: 'ok', seed: 7, accounts: 2, numbers: expect.any(Number) } },
    })

    await api.account({ name: 'After' })
    await api.control('DELETE', '/control/accounts/2')
    expect((await api.buy('+15005550006')).status).toBe(201)
    expect(await restore(api, 'before')).toMatchObject({ status: 200, body: { token: api.platform.credentials().key } })

    expect(await everything()).toEqual(before)
    expect(await accounts(api)).not.toContain('After')
    expect((await api.control('GET', '/control/check')).body).toMatchObject({ problems: [] })
    const { body } = await api.control('POST', '/control/accounts', { name: 'Next' })
    expect(body.data.id).toBe(3)
    // What counts rows counts them again.
    await api.ask('POST', '/api/user/lead', { body: { phone_number: '+14155550177', campaign_id: 1 } })
    expect(
      (await api.control('GET', '/control/check')).body.lists.filter((it: { wrong: number }) => it.wrong > 0),
    ).toEqual([])
  })

  test('restores its time, seed and keys, also a key of the folder that was replaced since', async () => {
    const api = await fresh(sqlite, { seed: 7 })
    const { key } = api.platform.credentials()
    await api.control('POST', '/control/clock/freeze', { at: '2027-01-31T09:00:00Z' })
    await save(api, { name: 'keys' })
    await api.control('POST', '/control/clock/resume')
    const { body } = await api.control('POST', '/control/reset', { seed: 8 })
    expect(body.token).not.toBe(key)
    expect((await api.ask('GET', '/api/user/me', { key })).status).toBe(401)
    const other = await openAt(api.place)
    expect((await other.ask('GET', '/api/user/me')).status).toBe(200)

    expect((await restore(api, 'keys')).body.token).toBe(key)
    expect((await api.ask('GET', '/api/user/me', { key })).status).toBe(200)
    expect((await api.ask('GET', '/api/user/me', { key: body.token })).status).toBe(401)
    expect((await api.control('GET', '/control/clock')).body).toMatchObject({
      now: '2027-01-31T09:00:00.000000Z',
      frozen: true,
    })
    expect((await api.control('GET', '/control/status')).body.seed).toBe(7)
    // Another process on the folder forgets what it had cached; the control token stays. A cached read holds until the event ends,
    // and a process never restores within the event of another: so one event ends here too.
    await sleep(0)
    expect((await other.ask('GET', '/api/user/me', { key })).status).toBe(200)
    expect((await other.control('GET', '/control/clock')).body.frozen).toBe(true)
    const next = await openAt(api.place)
    expect(next.platform.credentials()).toMatchObject({ key, control: api.platform.credentials().control })
  })

  test('restores the encryption key of passwords', async () => {
    const api = await fresh(sqlite)
    const trunk = {
      sip_trunk_type: 'extension',
      phone_number: '2002',
      sip_username: 'desk',
      sip_password: 'secret',
      sip_calling_format: 'e164',
      inbound_authorization_type: 'auth',
      country_code: 'US',
      sip_address: 'pbx.example',
    }
    expect((await api.ask('POST', '/api/user/phone-numbers/sip-trunks', { body: trunk })).status).toBe(201)
    await save(api, { name: 'sealed' })
    const file = join(api.place.dataDir, 'secret.key')
    rmSync(file)
    writeFileSync(file, `${'0'.repeat(64)}\n`, { mode: 0o600 })
    const next = await openAt(api.place)
    expect((await restore({ ...next, place: api.place }, 'sealed')).status).toBe(200)
    const update = await next.ask('PUT', '/api/user/phone-numbers/sip-trunks/1', {
      body: { sip_address: 'other.example' },
    })
    expect([update.status, statSync(file).mode & 0o777]).toEqual([200, 0o600])
  })

  test('is a file readable by its owner only, found by name, newest first, replaced only on request, and deleted', async () => {
    const api = await fresh(sqlite, { empty: true })
    expect((await save(api, { name: 'one' })).status).toBe(201)
    for (const saved = Date.now(); Date.now() <= saved + 1; ) await sleep(1)
    const { body } = await save(api)
    expect(body.data).toMatchObject({ name: expect.stringMatching(/^\d{4}-\d\d-\d\d-\d{6}$/), accounts: 0, seed: null })
    const folder = join(api.place.dataDir, 'snapshots')
    expect(readdirSync(folder).sort()).toEqual([`${body.data.name}.db`, 'one.db'])
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const names = async () =>
      (await api.control('GET', '/control/snapshots')).body.data.map((it: { name: string }) => it.name)
    expect(await names()).toEqual([body.data.name, 'one'])
    expect(await save(api, { name: 'one' })).toMatchObject({
      status: 409,
      body: { message: 'A snapshot with this name already exists.' },
    })
    await api.account()
    expect((await save(api, { name: 'one', replace: true })).body.data.accounts).toBe(1)
    for (const name of ['../one', 'One', '.one', '', 'a/b']) expect((await save(api, { name })).status, name).toBe(422)
    expect((await api.control('DELETE', '/control/snapshots/one')).status).toBe(200)
    expect((await api.control('DELETE', '/control/snapshots/one')).status).toBe(404)
    expect((await restore(api, 'one')).status).toBe(404)
    expect(await names()).toEqual([body.data.name])
  })

  test('that is damaged or of a newer version changes nothing, and is reported', async () => {
    const api = await fresh(sqlite)
    await save(api, { name: 'whole' })
    const file = (name: string): string => join(api.place.dataDir, 'snapshots', `${name}.db`)
    writeFileSync(file('text'), 'no database at all')
    copyFileSync(file('whole'), file('newer'))
    const newer = await openSqlite(file('newer'))
    await newer.write('rows', (query) =>
      query.updateTable('meta').set({ value: '999' }).where('key', '=', 'schema_version').execute(),
    )
    await newer.close()
    await api.account({ name: 'Kept' })
    expect(await restore(api, 'text')).toMatchObject({
      status: 409,
      body: { message: 'This snapshot cannot be read: the file is damaged or is not a snapshot.' },
    })
    expect(await restore(api, 'newer')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('created by a newer version of Parley') },
    })
    const listed = (await api.control('GET', '/control/snapshots')).body.data
    expect(Object.fromEntries(listed.map((it: { name: string; status: string }) => [it.name, it.status]))).toEqual({
      whole: 'ok',
      text: 'damaged',
      newer: 'newer',
    })
    expect(await accounts(api)).toContain('Kept')
  })

  test('of an older version is migrated during the restore', async () => {
    const api = await fresh(sqlite)
    const folder = join(api.place.dataDir, 'snapshots')
    mkdirSync(folder)
    const old = await openSqlite(join(temporaryFolder(), 'platform.db'))
    await migrate(old, { steps: migrations.slice(0, 3) })
    const row = {
      name: 'Old',
      email: 'old@account.example',
      kind: 'tenant',
      balance: 0,
      minute_rate: 0,
      payment_method: null,
      created_at: 1,
    } as const
    await old.write('rows', (query) => query.insertInto('account').values(row).execute())
    const about = { saved_at: '2026-01-01T00:00:00.000Z', secret: 's'.repeat(40), key: null, seal: null }
    await old.snapshots?.save(join(folder, 'old.db'), JSON.stringify(about))
    await old.close()
    expect((await restore(api, 'old')).status).toBe(200)
    expect(await accounts(api)).toEqual(['Old'])
    expect((await api.control('GET', '/control/check')).body).toMatchObject({ schema: migrations.length, problems: [] })
    expect(readdirSync(folder)).toEqual(['old.db'])
  })
})

describe('work in progress when a snapshot is restored', () => {
  /** A server elsewhere: addresses with "held" in them answer once they are let go. */
  function elsewhere() {
    const asked: string[] = []
    let letGo: () => void = () => {}
    let held: Promise<void> | undefined
    const hold = (): void => {
      asked.length = 0
      held = new Promise((resolve) => {
        letGo = resolve
      })
    }
    const port: HttpPort = {
      async send({ url }, signal) {
        asked.push(url)
        if (url.includes('held'))
          await new Promise<void>((resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('broken off')))
            void Promise.resolve(held).then(resolve)
          })
        return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }
      },
    }
    return { asked, hold, letGo: () => letGo(), port }
  }
  const steps = ['first', 'held', 'last'].map((it) => http('GET', `https://there.example/${it}`))

  async function prepared() {
    const there = elsewhere()
    const api = await fresh(sqlite, { automationPorts: { http: there.port } })
    const made = await api.ask('POST', '/api/user/automate/flows', {
      body: { name: 'Flow', flow: { trigger: hook, steps } },
    })
    const id: string = made.body.automation_id
    const tables = await tablesOf(api.place)
    there.hold()
    const start = () =>
      api.platform.handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${id}`,
        headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
        body: '{}',
      })
    const runs = () =>
      tables.read
        .selectFrom('automation_run')
        .select('status')
        .where('automation_id', '=', id)
        .where('testing', '=', 0)
        .execute()
    return { there, api, start, runs, made }
  }

  test('does not continue: a running automation and due jobs', async () => {
    const { there, api, start, runs, made } = await prepared()
    expect(made.status).toBe(201)
    await save(api, { name: 'quiet' })
    expect((await start()).status).toBe(200)
    await expect.poll(() => there.asked.at(-1)).toContain('held')
    expect((await restore(api, 'quiet')).status).toBe(200)
    there.letGo()
    await sleep(100)
    await api.control('POST', '/control/drain')
    expect(there.asked.filter((it) => it.includes('last'))).toEqual([])
    expect(await runs()).toEqual([])
    const { body } = await api.control('GET', '/control/status')
    const due = await (await tablesOf(api.place)).read
      .selectFrom('due')
      .select('kind')
      .where('kind', '=', 'run')
      .execute()
    expect([due, body.due]).toEqual([[], expect.any(Number)])
    expect((await start()).status).toBe(200)
    await expect.poll(runs).toEqual([{ status: 'SUCCEEDED' }])
  })

  test('continues from the state that was saved', async () => {
    const { there, api, start, runs } = await prepared()
    await start()
    await expect.poll(() => there.asked.at(-1)).toContain('held')
    await save(api, { name: 'amid' })
    there.letGo()
    await expect.poll(runs).toEqual([{ status: 'SUCCEEDED' }])
    await restore(api, 'amid')
    expect(await runs()).toEqual([{ status: 'RUNNING' }])
    await api.control('POST', '/control/drain')
    await expect.poll(runs).toEqual([{ status: 'SUCCEEDED' }])
    expect(there.asked.filter((it) => it.includes('first'))).toHaveLength(1)
    expect(there.asked.filter((it) => it.includes('last'))).toHaveLength(2)
  })

  test('is awaited by requests, which then find the saved state', async () => {
    let letGo: () => void = () => {}
    let isHeld = false
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const gate = async (step: string): Promise<void> => {
      if (step !== 'payments.charge:before') return
      isHeld = true
      await held
    }
    const api = await fresh(sqlite, { gate })
    await save(api, { name: 'before' })
    const bought = api.buy('+15005550006')
    await expect.poll(() => isHeld).toBe(true)
    const other = await openAt(api.place)
    const restored = restore(api, 'before')
    const list = () => api.ask('GET', '/api/user/phone-numbers/all')
    let listed = list()
    // The restore has started when a request waits for it, while another platform on the same data answers.
    for (let waits = false; !waits; ) {
      waits = true
      listed = list().then((answer) => {
        waits = false
        return answer
      })
      await other.ask('GET', '/api/user/phone-numbers/all')
      // Reading the snapshot needs the event loop.
      await yieldToEventLoop()
    }
    letGo()
    expect([(await bought).status, (await restored).status]).toEqual([201, 200])
    expect((await listed).text).not.toContain('+15005550006')
    const tables = await tablesOf(api.place)
    expect(await tables.read.selectFrom('purchase').selectAll().execute()).toEqual([])
    expect((await api.ask('GET', '/api/user/phone-numbers/all')).text).not.toContain('+15005550006')
  })
})

test('a save during writes contains each change completely or not at all', async () => {
  const api = await fresh(sqlite, { empty: true })
  const other = await openAt(api.place, { empty: true })
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n++) await other.control('POST', '/control/accounts', { name: `Account ${n}`, balance: 1 })
  })()
  for (let n = 0; n < 5; n++) {
    expect((await save(api, { name: `s${n}` })).status).toBe(201)
    await sleep(20)
  }
  isOver = true
  await writing
  for (let n = 0; n < 5; n++) {
    await restore(api, `s${n}`)
    const tables = (await tablesOf(api.place)).read
    const [made, opened] = await Promise.all([
      tables.selectFrom('account').select('id').execute(),
      tables.selectFrom('ledger').select('account_id as id').execute(),
    ])
    expect(opened).toEqual(made)
  }
})

describe.each(databases.filter((it) => it.name === 'postgres'))('on PostgreSQL', (database) => {
  test('snapshots are refused with the tools to use instead', async () => {
    const api = await fresh(database)
    const message = 'Snapshots are not supported for data in a PostgreSQL database.'
    expect(await save(api)).toMatchObject({ status: 409, body: { message } })
    expect(await restore(api, 'any')).toMatchObject({ status: 409, body: { message } })
    expect((await api.control('GET', '/control/snapshots')).body).toEqual({ data: [] })
  })
})
