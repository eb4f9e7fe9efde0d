import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseJson } from '../../../../src/node/json.ts'
import { createClock } from '../../../../src/platform/jobs/clock.ts'
import { createJobClaims } from '../../../../src/platform/jobs/job-claims.ts'
import { scheduleJob } from '../../../../src/platform/jobs/job-loop.ts'
import { OwnLeases } from '../../../../src/platform/jobs/leases.ts'
import { takeName } from '../../../../src/platform/store/database/account-names.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { checkNames } from '../../../../src/platform/store/database/check-integrity.ts'
import type { StoreError } from '../../../../src/platform/store/database/store-error.ts'
import { opened, temporaryFolder } from '../../../support/databases.ts'
import type { Answered, Api } from '../../../support/platform/platform-api.ts'
import { openAt } from '../../../support/platform/test-platforms.ts'
import { type OwnCluster, startOwnCluster } from '../../../support/servers/citus-nodes.ts'
import { order } from '../../../support/servers/postgres-server.ts'
import { servedPlatform } from '../../server/monitoring/served-platform.ts'

interface Account {
  readonly id: number
  readonly key: string
}

// Citus is needed: the project `citus`.
describe.runIf(process.env.PARLEY_TEST_CITUS)('a node of the database that is away', () => {
  const dataDir = temporaryFolder()
  let cluster: OwnCluster
  let api: Api
  /** Accounts on different nodes. */
  let near: Account
  let away: Account

  beforeAll(async () => {
    cluster = await startOwnCluster()
    api = await openAt({ dataDir, database: cluster.url })
    near = await api.account({ balance: 100 })
    const worker = await cluster.workerOf(near.id)
    do away = await api.account({ balance: 100 })
    while ((await cluster.workerOf(away.id)) === worker)
  }, 120_000)

  /** Stops the node of the account that is away, until the test ends. */
  async function crash(): Promise<() => Promise<void>> {
    const worker = await cluster.workerOf(away.id)
    await cluster.crash(worker)
    let isBack = false
    const back = async (): Promise<void> => {
      if (!isBack) await cluster.restart(worker)
      isBack = true
    }
    onTestFinished(back)
    return back
  }

  const tool = {
    name: 'look_up',
    description: 'Finds an order.',
    endpoint: 'https://shop.example/orders',
    method: 'GET',
  }
  /** Repeats what is refused, with nothing saved, while the node starts. */
  const accepts = (send: () => Promise<Answered>) => expect.poll(async () => (await send()).status).toBe(201)
  const createTool = ({ key }: Account) => api.ask('POST', '/api/user/tools', { key, body: tool })

  test('stops its accounts, whose requests may be repeated, and no others', async () => {
    const back = await crash()
    expect(await createTool(near)).toMatchObject({ status: 201 })
    const refused = await createTool(away)
    expect([refused.status, refused.headers['retry-after'], refused.body.message]).toEqual([
      503,
      '1',
      'The part of the database that this needs cannot be reached. Nothing was saved. Try again.',
    ])
    expect(await api.ask('GET', '/readyz', { key: null })).toMatchObject({ status: 200 })
    await back()
    await accepts(() => createTool(away))
  })

  test('keeps new numbers and keys from all accounts, before any money moves', async () => {
    const connection = await opened({ url: cluster.url })
    const charges = async () => (await connection.read.selectFrom('local_charge').select('amount').execute()).length
    const before = await charges()
    const back = await crash()
    const buy = () => api.buy('+15005550006', { key: near.key })
    const refused = await buy()
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(await api.control('POST', `/control/accounts/${near.id}/keys`, { name: 'more' })).toMatchObject({
      status: 503,
    })
    expect(await charges()).toBe(before)
    await back()
    expect(await charges()).toBe(before)
    await accepts(buy)
    expect(await charges()).toBe(before + 1)
  })

  test('does not keep a key from being deleted, whose name may be left', async () => {
    const connection = await opened({ url: cluster.url })
    const { body } = await api.control('POST', `/control/accounts/${near.id}/keys`, { name: 'leaked' })
    const get = () => api.ask('GET', '/api/user/api-keys', { key: body.token })
    const { id } = (await get()).body.api_keys.find((it: { readonly name: string }) => it.name === 'leaked')
    const back = await crash()
    expect(await api.ask('DELETE', `/api/user/api-keys/${id}`, { key: near.key })).toMatchObject({ status: 200 })
    expect(await get()).toMatchObject({ status: 401 })
    await back()
    expect(await get()).toMatchObject({ status: 401 })
    expect(await checkNames(connection.read)).toMatchObject({ wrong: 0 })
  })

  test('is seen in the metrics, and the servers are still listed', async () => {
    const { call, control } = await servedPlatform({ dataDir, database: cluster.url })
    const metrics = async () => (await call('/metrics')).text()
    const whole = await metrics()
    expect(whole).toContain('parley_database_complete 1')
    expect(whole).toContain('parley_leases 0')
    await crash()
    const text = await metrics()
    expect(text).toContain('parley_database_complete 0')
    expect(text).not.toContain('parley_leases')
    const { data } = parseJson((await control('GET', '/control/nodes')).body) as { data: { leases: unknown }[] }
    expect([...new Set(data.map((it) => it.leases))]).toEqual([null])
  })

  test('lets the jobs of other accounts run, and those of its accounts once it is back', async () => {
    const connection = await opened({ url: cluster.url })
    await connection.read.selectFrom('meta').selectAll().execute()
    let wall = Date.UTC(2027, 0, 31)
    const claims = createJobClaims({
      connection,
      clock: createClock(connection, () => wall),
      owner: 'here:1:a',
      isAlive: () => true,
      wall: () => wall,
      isBatched: async () => false,
      log: () => {},
    })
    const claimed = async () =>
      (await claims.claimFairly({ limit: 320, perAccount: 20, excludedAccounts: [] })).map((it) => it.subject)
    await claimed()
    for (const { id } of [near, away])
      await connection.write({ account: id }, (query) =>
        scheduleJob(query, { account: id, kind: 'test', subject: `of ${id}`, at: 1 }),
      )
    const back = await crash()
    expect(await claimed()).toContain(`of ${near.id}`)
    expect(await claimed()).not.toContain(`of ${away.id}`)
    await back()
    wall += 5000
    expect(await claimed()).toContain(`of ${away.id}`)
  })

  test('does not keep a server that had a failure from its search for jobs', async () => {
    const connection = await opened({ url: cluster.url })
    const leases = new OwnLeases()
    const watched = leases.watch(connection)
    const take = () =>
      watched.write({ account: near.id }, (query) => takeName(query, 'phone_number', '+15005550105', near.id))
    let wall = Date.UTC(2027, 0, 31)
    const deps = { connection, owner: 'here:1:a', wall: () => wall }
    const back = await crash()
    await expect(take()).rejects.toMatchObject({ reason: 'node_unreachable' })
    for (let n = 0; n < 3; n++) {
      await leases.releaseStale(deps)
      wall += 60_000
    }
    await back()
    await leases.releaseStale(deps)
  })

  test('fails only the change that needs it among those that an account commits together', async () => {
    const connection = await opened({ url: cluster.url })
    const rename = (name: string) =>
      connection.write({ account: near.id }, (query) => query.updateTable('account').set({ name }).execute())
    const take = (number: string) =>
      connection.write({ account: near.id }, (query) => takeName(query, 'phone_number', number, near.id))
    const back = await crash()
    // Once the connection is open, they are fast enough to share a COMMIT.
    for (let n = 0; n < 5; n++) {
      await rename('Warm')
      const changes = await Promise.allSettled([rename('Before'), take('+15005550102'), rename('After')])
      expect(changes.map((it) => (it.status === 'fulfilled' ? 'saved' : it.reason.reason))).toEqual([
        'saved',
        'node_unreachable',
        'saved',
      ])
    }
    const names = await accountQuery(connection.read, near.id).selectFrom('account').select('name').execute()
    expect(names).toEqual([{ name: 'After' }])
    await back()
  })

  test('that ends between two changes that share a COMMIT refuses only the one that needs it', async () => {
    const connection = await opened({ url: cluster.url })
    const rename = (name: string) =>
      connection.write({ account: near.id }, (query) => query.updateTable('account').set({ name }).execute())
    await rename('Warm')
    let back = async (): Promise<void> => {}
    const changes = await Promise.allSettled([
      rename('Before'),
      connection.write({ account: near.id }, async (query) => {
        await takeName(query, 'phone_number', '+15005550104', near.id)
        back = await crash()
      }),
      rename('After'),
    ])
    expect(changes.map((it) => (it.status === 'fulfilled' ? 'saved' : it.reason.reason))).toEqual([
      'saved',
      'node_unreachable',
      'saved',
    ])
    await back()
  })

  test('that ends during a COMMIT does not make a lost change look saved', async () => {
    const connection = await opened({ url: cluster.url })
    const name = async () =>
      (await accountQuery(connection.read, away.id).selectFrom('account').select('name').execute())[0]?.name
    let back = async (): Promise<void> => {}
    const saved = connection.write({ account: away.id }, async (query) => {
      await query.updateTable('account').set({ name: 'Changed' }).execute()
      back = await crash()
    })
    const { reason } = (await saved.catch((error: unknown) => error)) as StoreError
    expect(reason).toBe('unknown_outcome')
    await back()
    expect(await name()).toBe('Somebody')
    await connection.write({ account: away.id }, async (query) => {
      await query.updateTable('account').set({ name: 'Changed' }).execute()
    })
    expect(await name()).toBe('Changed')
  })

  test('that is the coordinator, and ends between the two phases of a commit, keeps what it has decided', async () => {
    const connection = await opened({ url: cluster.url })
    const workers = await Promise.all([near, away].map(({ id }) => cluster.workerOf(id)))
    const prepared = async (): Promise<number> =>
      (await Promise.all(workers.map((it) => order(it, 'select gid from pg_prepared_xacts')))).flat().length
    // Its own COMMIT waits for a standby that it does not have, after the workers have prepared theirs.
    await order(cluster.url, "alter system set synchronous_standby_names = 'none'")
    await order(cluster.url, 'select pg_reload_conf()')
    const number = '+15005550103'
    const outcome = connection
      .write({ account: near.id }, async (query) => {
        await query.updateTable('account').set({ name: 'Decided' }).execute()
        await takeName(query, 'phone_number', number, near.id)
      })
      .then(
        () => 'saved',
        ({ reason }: StoreError) => reason,
      )
    await expect.poll(prepared).toBeGreaterThan(0)
    await cluster.crash(cluster.url)
    expect(await prepared()).toBeGreaterThan(0)
    await cluster.restart(cluster.url)
    await order(cluster.url, 'alter system reset synchronous_standby_names')
    await order(cluster.url, 'select pg_reload_conf()')
    await expect
      .poll(async () => {
        await order(cluster.url, 'select recover_prepared_transactions()')
        return prepared()
      })
      .toBe(0)
    expect(['saved', 'unknown_outcome']).toContain(await outcome)
    const found = await accountQuery(connection.read, near.id).selectFrom('account').select('name').execute()
    expect(found).toEqual([{ name: 'Decided' }])
    expect(await order(cluster.url, `select from account_name where name = '${number}'`)).toHaveLength(1)
  })
})
