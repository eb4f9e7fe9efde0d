import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import type { Failure } from '../../../../src/contract/errors/failures.ts'
import type { Machine } from '../../../../src/engine/runs/run-state.ts'
import { createClock } from '../../../../src/platform/jobs/clock.ts'
import { localCrm } from '../../../../src/platform/providers/integrations/local-crm.ts'
import { localCarrier } from '../../../../src/platform/providers/telephony/local-carrier.ts'
import { localTelephony } from '../../../../src/platform/providers/telephony/local-telephony.ts'
import { acceptRun } from '../../../../src/platform/runs/accept-run.ts'
import { leadService } from '../../../../src/platform/services/campaigns/lead-service.ts'
import { deliveryAttempts } from '../../../../src/platform/services/deliveries/delivery-attempts.ts'
import type { Deps } from '../../../../src/platform/services/runtime/deps.ts'
import { faultService } from '../../../../src/platform/services/runtime/fault-service.ts'
import { runOnce } from '../../../../src/platform/services/runtime/idempotency.ts'
import { requireSlidingWindow } from '../../../../src/platform/services/runtime/request-limits.ts'
import { createVault } from '../../../../src/platform/services/runtime/vault.ts'
import { purgeRuns } from '../../../../src/platform/store/automations/run-retention.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import {
  type DeliveryRow,
  findDelivery,
  insertDelivery,
  purgeDeliveries,
} from '../../../../src/platform/store/deliveries/deliveries.ts'
import { databases, opened } from '../../../support/databases.ts'

const account = { email: 'a@b.example', kind: 'tenant', balance: 0, minute_rate: 1, created_at: 0 } as const
const rule = { endpoint: 'numbers.buy', where: {}, drift: [], latency_ms: 0, probability: 1, seed: 1, status: 503 }

const vault = createVault(() => Buffer.alloc(32, 7))

describe.each(databases)('servers of one database on $name', (database) => {
  /** Two servers with two accounts. `each` runs something on both in turn, all at the same time. */
  async function servers() {
    const target = await database.target()
    const connections = [await opened(target), await opened(target)] as const
    const [connection] = connections
    for (const name of ['One', 'Two'])
      await connection.write('rows', (query) =>
        query
          .insertInto('account')
          .values({ ...account, name })
          .execute(),
      )
    const deps = connections.map(
      (connection) =>
        ({
          connection: connection,
          clock: createClock(connection, () => 5_000_000),
          owner: 'here:1:a',
          vault,
          wall: Date.now,
        }) as unknown as Deps,
    )
    return {
      connection,
      each: <T>(times: number, run: (own: Deps & { connection: Connection }, n: number) => Promise<T>): Promise<T[]> =>
        Promise.all(Array.from({ length: times }, (_, n) => run(deps[n % 2] as Deps, n))),
    }
  }

  test('count fault rules that are added at the same time, and trigger each as often as it says', async () => {
    const { connection, each } = await servers()
    await each(12, (own) => faultService(own).add({ ...rule, times: 1 }))
    expect(await connection.read.selectFrom('clock').select('faults').execute()).toEqual([{ faults: 12 }])
    const request = { endpoint: 'numbers.buy', account: 1, fields: {} }
    const triggered = await each(20, (own) => faultService(own).trigger(request))
    expect(triggered.filter((it) => it !== undefined)).toHaveLength(12)
  })

  test('let no more requests in than a sliding window allows', async () => {
    const { each } = await servers()
    const limit = { name: 'sends', max: 7, seconds: 60 }
    const answers = await each(24, (own) =>
      requireSlidingWindow(own, 1, limit).then(
        () => 'in',
        () => 'refused',
      ),
    )
    expect(answers.filter((it) => it === 'in')).toHaveLength(7)
  })

  test('sell a number once, give each call its own script, and a person one contact', async () => {
    const { connection, each } = await servers()
    const phone = (await localTelephony({ connection, seed: 'one' }).search({ country: 'US', limit: 1 }))[0]
      ?.phoneNumber
    const orders = await each(10, ({ connection: own }, n) =>
      localTelephony({ connection: own, seed: 'one' }).order(`order ${n}`, phone as string),
    )
    expect(orders.filter((it) => it.ok)).toHaveLength(1)
    for (let n = 0; n < 6; n++)
      await connection.write('rows', (query) =>
        query
          .insertInto('local_script')
          .values({ callee: '+14155550142', script: `"${n}"` })
          .execute(),
      )
    const call = { from: null, to: '+14155550142', opening: '', ringTimeoutSeconds: 1, maxDurationSeconds: 1 }
    await each(6, ({ connection: own }, n) => localCarrier({ connection: own }).dial(`call ${n}`, call, 1))
    const scripts = await connection.read.selectFrom('local_call').select('script').execute()
    expect(new Set(scripts.map((it) => it.script)).size).toBe(6)
    const access = { account: 1, secret: {}, now: 1 }
    await each(10, ({ connection: own }, n) =>
      localCrm({ connection: own }).saveContact(`contact ${n}`, access, { phone: '+1 415 555 0142', tags: [`t${n}`] }),
    )
    const contacts = await connection.read.selectFrom('local_contact').select('tags').execute()
    expect(contacts.map((it) => JSON.parse(it.tags).length)).toEqual([10])
  })

  test('add a number to a campaign once, and execute a request with an idempotency key once', async () => {
    const { connection, each } = await servers()
    const campaign = { account_id: 1, name: 'C', channel: 'call', status: 'draft', settings: '{}' } as const
    await connection.write({ account: 1 }, (query) =>
      query
        .insertInto('campaign')
        .values({ ...campaign, created_at: 1, updated_at: 1 })
        .execute(),
    )
    const draft = { phone: '+14155550142', campaign: 1, variables: {}, duplicate: false, contacts: [] }
    const leads = await each(12, (own) =>
      leadService(own)
        .create(1, draft)
        .then(
          () => 'added',
          (error: Failure) => error.kind,
        ),
    )
    expect(leads.toSorted()).toEqual(['added', ...Array(11).fill('leads.duplicate')])
    const claim = { account: 1, key: 'once', request: { method: 'POST', url: '/', headers: {} } as PlainRequest }
    const answers = await each(12, (own) =>
      runOnce(own, claim, async (claimed) => {
        await claimed.connection.write('rows', (query) =>
          query.insertInto('folder').values({ account_id: 1, name: randomUUID(), created_at: 1 }).execute(),
        )
        return { status: 201, body: '{}' }
      }).catch((error: Failure) => error.kind),
    )
    expect(answers.filter((it) => it !== 'idempotency_busy' && typeof it === 'object' && !it.replayed)).toHaveLength(1)
    expect(await connection.read.selectFrom('folder').select('id').execute()).toHaveLength(1)
  })

  test('start the runs of two accounts that would have the same id', async () => {
    const { connection, each } = await servers()
    const ids = ['same', 'same', 'other', 'third']
    const machine = { isInner: () => true } as unknown as Machine
    const runs = await each(2, ({ connection: own }, n) =>
      own.write({ account: n + 1 }, (query) =>
        acceptRun(
          query,
          { newId: async () => ids.shift() as string, machine, owner: 'here:1:a', wall: () => 0 },
          {
            automation: { id: `flow ${n}`, account_id: n + 1 },
            version: { id: `version ${n}`, account_id: n + 1, program: '{}', definition: '{}' },
            payload: {},
            testing: false,
            trigger: { type: 'WEBHOOK', name: 'trigger' } as never,
            now: 1,
            dedupe: 'event 1',
          },
        ),
      ),
    )
    expect(runs.every((it) => it !== undefined)).toBe(true)
    expect(await connection.read.selectFrom('automation_run').select('id').execute()).toHaveLength(2)
  })

  test('do not end a delivery that another one has finished, and purge only what is finished', async () => {
    const { connection, each } = await servers()
    const row = (await connection.write({ account: 1 }, (query) =>
      insertDelivery(query, {
        account_id: 1,
        outbox_id: null,
        message_id: 'm',
        event: 'post_call',
        lane: 'l',
        assistant_id: null,
        sender_id: null,
        url: 'https://x.example',
        payload: '{}',
        status: 'pending',
        attempts: 0,
        tries_left: 3,
        next_attempt_at: 1,
        last_status: null,
        last_error: null,
        created_at: 1,
        finished_at: null,
      }),
    )) as DeliveryRow
    const delivered = { status: 200, error: null, retryAfter: undefined, answer: 'ok', ms: 1 }
    await each(1, (own) => deliveryAttempts(own).record(row, delivered))
    await each(2, (own) => deliveryAttempts(own).cancel(row))
    expect(await findDelivery(accountQuery(connection.read, row.account_id), row.id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
    })
    await connection.write('rows', (query) =>
      query.updateTable('delivery').set({ status: 'pending' }).where('id', '=', row.id).execute(),
    )
    const old = { before: 10, after: 0 }
    const purging = (own: Connection) => own.write({ rows: row.account_id }, (query) => purgeDeliveries(query, old))
    expect((await purging(connection)).deleted).toBe(0)
    await each(1, (own) => deliveryAttempts(own).cancel(row))
    const purged = await each(2, ({ connection: own }) => purging(own))
    expect(purged.map((it) => it.deleted).toSorted()).toEqual([0, 1])
    expect(await connection.read.selectFrom('delivery_attempt').select('id').execute()).toEqual([])
    const runs = await connection.write({ rows: row.account_id }, (query) => purgeRuns(query, old))
    expect(runs.deleted).toBe(0)
  })
})
