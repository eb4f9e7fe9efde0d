import { beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../../src/platform/jobs/clock.ts'
import { OwnLeases } from '../../../../src/platform/jobs/leases.ts'
import { purgeService } from '../../../../src/platform/services/runtime/purge-service.ts'
import { purgeRuns } from '../../../../src/platform/store/automations/run-retention.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { AccountQuery, Connection } from '../../../../src/platform/store/database/connection.ts'
import { purgeDeliveries } from '../../../../src/platform/store/deliveries/deliveries.ts'
import { purgeEvents } from '../../../../src/platform/store/deliveries/outbox.ts'
import { purgeIdempotencyKeys } from '../../../../src/platform/store/runtime/idempotency-keys.ts'
import {
  type PurgeBatch,
  type PurgedBatch,
  purgeBatchSize,
  purgeDelay,
  purgeJobKind,
  retentionMicros,
  schedulePurge,
} from '../../../../src/platform/store/runtime/purge-batches.ts'
import { databases } from '../../../support/databases.ts'
import type { TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const tablesWithOldRows = [
  'outbox',
  'delivery',
  'delivery_attempt',
  'automation_run',
  'automation_step',
  'automation_act',
  'idempotency',
] as const
type Counts = Record<(typeof tablesWithOldRows)[number], number>

/** Old and new rows of each kind, and rows that are old and not finished. */
const amount = { old: 1203, fresh: 7, open: 6 }
/** A run with more steps than one transaction deletes, besides runs with a few. */
const longRun = 400

describe.each(databases)('what is older than 30 days on $name', (database) => {
  let api: Awaited<ReturnType<typeof fresh>>
  let tables: Connection
  let automation: { readonly id: string; readonly version: string }
  let time = Date.parse('2027-03-01T12:00:00Z')
  const now = (): number => time * 1000
  const oldest = (): number => now() - retentionMicros

  beforeAll(async () => {
    api = await fresh(database, { seed: 7, wall: () => time })
    tables = await tablesOf(api.place)
    const row = await tables.read.selectFrom('automation').selectAll().executeTakeFirstOrThrow()
    automation = { id: row.id, version: row.live_version as string }
  })

  const countsOf = async (account: number): Promise<Counts> => {
    const count = async (table: (typeof tablesWithOldRows)[number]): Promise<number> =>
      Number(
        (
          await tables.read
            .selectFrom(table)
            .select((it) => it.fn.countAll().as('n'))
            .where('account_id', '=', account)
            .executeTakeFirstOrThrow()
        ).n,
      )
    return Object.fromEntries(
      await Promise.all(tablesWithOldRows.map(async (it) => [it, await count(it)] as const)),
    ) as Counts
  }

  /** Adds old rows, old rows that are not finished among them, and new rows. */
  async function fill(account: TestAccount): Promise<void> {
    const at = (n: number): number => (n < amount.old + amount.open ? oldest() - 1_000_000 * (2000 - n) : now())
    const isOpen = (n: number): boolean => n % 241 === 0 && n < amount.old + amount.open
    const all = Array.from({ length: amount.old + amount.open + amount.fresh }, (_, n) => n)
    await tables.write({ account: account.id }, async (query) => {
      const own = { account_id: account.id }
      const events = await query
        .insertInto('outbox')
        .values(
          all.map((n) => ({
            ...own,
            kind: 'x',
            subject: 'x',
            payload: '{}',
            created_at: at(n),
            handled_at: isOpen(n) ? null : at(n),
          })),
        )
        .returning('id')
        .execute()
      expect(events).toHaveLength(all.length)
      const deliveries = await query
        .insertInto('delivery')
        .values(
          all.map((n) => ({
            ...own,
            ...{ outbox_id: null, message_id: `msg-${account.id}-${n}`, event: 'post_call' as const, lane: 'x' },
            ...{ assistant_id: null, sender_id: null, url: 'https://x.example', payload: '{}' },
            ...{ status: isOpen(n) ? ('pending' as const) : ('delivered' as const), attempts: 1, tries_left: 3 },
            ...{ next_attempt_at: null, last_status: null, last_error: null, created_at: at(n), finished_at: null },
          })),
        )
        .returning('id')
        .execute()
      await query
        .insertInto('delivery_attempt')
        .values(
          deliveries.map(({ id }) => ({
            ...own,
            delivery_id: id,
            number: 1,
            at: 1,
            ms: 1,
            status: 200,
            error: null,
            answer: '',
          })),
        )
        .execute()
      await addRuns(query, all.slice(0, 120).concat(all.slice(-amount.fresh)), at)
      await query
        .insertInto('idempotency')
        .values(
          all.map((n) => ({
            ...own,
            ...{ key: `key-${n}`, request: 'x', status: isOpen(n) ? null : 200, body: null, owner: null },
            ...{ created_at: at(n), leased_until: Math.floor(at(n) / 1000) },
          })),
        )
        .execute()
    })
  }

  /** Adds runs: each has two steps, some are not finished, and one has many steps. */
  async function addRuns(query: AccountQuery, all: readonly number[], at: (n: number) => number): Promise<void> {
    const own = { account_id: query.account }
    const runs = await query
      .insertInto('automation_run')
      .values(
        all.map((n) => ({
          ...own,
          ...{ id: `run-${query.account}-${n}`, automation_id: automation.id, version_id: automation.version },
          ...{ testing: 0, status: n % 30 === 0 ? ('RUNNING' as const) : ('SUCCEEDED' as const), payload: '{}' },
          ...{ claims: 1, held: 0, mark: 0, stalls: 0, round: 1, active: 0, answer: null, error: null },
          ...{ dedupe_key: null, created_at: at(n), finished_at: n % 30 === 0 ? null : at(n), cancelled_at: null },
        })),
      )
      .returning(['number', 'id'])
      .execute()
    await query
      .insertInto('automation_step')
      .values(
        runs.flatMap(({ number }, n) =>
          Array.from({ length: n === 7 ? longRun : 2 }, (_, position) => ({
            ...own,
            ...{
              run: number,
              path: `step_${position}`,
              name: `step_${position}`,
              position,
              status: 'SUCCEEDED' as const,
            },
            ...{ attempt: 1, failures: 0, input: null, output: null, error: null, classification: null, log: null },
            ...{ unresolved: null, items: null, started_at: 1, finished_at: 1, shown: null },
          })),
        ),
      )
      .execute()
    await query
      .insertInto('automation_act')
      .values(runs.map(({ id }) => ({ ...own, key: `${id}:step_1`, result: '{}', created_at: 1 })))
      .execute()
  }

  /** What remains of each table: the new rows, and those that are not finished. */
  const expectOnlyRest = (counts: Counts): void => {
    const rest = amount.fresh + amount.open
    expect(counts).toEqual({
      ...{ outbox: rest, delivery: rest, delivery_attempt: rest, idempotency: amount.fresh },
      ...{
        automation_run: 4 + amount.fresh,
        automation_step: 2 * (4 + amount.fresh),
        automation_act: 4 + amount.fresh,
      },
    })
  }

  test('is deleted in transactions of few rows, and nothing else is', async () => {
    const [account, other] = [await api.account(), await api.account()]
    for (const each of [account, other]) await fill(each)
    const untouched = await countsOf(other.id)
    const purges: [string, (query: AccountQuery, batch: PurgeBatch) => Promise<PurgedBatch>][] = [
      ['events', purgeEvents],
      ['deliveries', purgeDeliveries],
      ['runs', purgeRuns],
      ['keys', (query, batch) => purgeIdempotencyKeys(query, batch, time)],
    ]
    for (const [what, purge] of purges) {
      let counts = await countsOf(account.id)
      for (let after: number | undefined = 0; after !== undefined; ) {
        const batch: PurgeBatch = { before: oldest(), after }
        const { next }: PurgedBatch = await tables.write({ rows: account.id }, (query) => purge(query, batch))
        const left = await countsOf(account.id)
        for (const table of tablesWithOldRows) {
          const isLongRun = table === 'automation_step' && counts[table] - left[table] === longRun
          expect(isLongRun ? 0 : counts[table] - left[table], `${what}: ${table}`).toBeLessThanOrEqual(purgeBatchSize)
        }
        expect(next === undefined || next > after, what).toBe(true)
        counts = left
        after = next
      }
    }
    expectOnlyRest(await countsOf(account.id))
    expect(await countsOf(other.id)).toEqual(untouched)
  })

  test('is deleted by a job that requests schedule once, and that other processes continue', async () => {
    const account = await api.account()
    await fill(account)
    const clock = createClock(tables, () => time)
    for (const number of [63, 64, 65, 128])
      await tables.write({ account: account.id }, (query) => schedulePurge(query, number, now()))
    const jobs = () =>
      accountQuery(tables.read, account.id).selectFrom('due').selectAll().where('kind', '=', purgeJobKind).execute()
    const [job] = await jobs()
    expect(await jobs()).toHaveLength(1)
    let parts = 0
    for (; (await jobs()).length > 0; parts++) {
      expect(parts).toBeLessThan(50)
      // Each part is done by another process, as if the one before was killed.
      const service = purgeService({ connection: tables, clock, wall: () => time, leases: new OwnLeases() })
      await service.run(job as NonNullable<typeof job>)
    }
    expect(parts).toBeGreaterThan(2)
    expectOnlyRest(await countsOf(account.id))
  })

  test('is deleted by the jobs of a platform, while time passes', async () => {
    const account = await api.account()
    await fill(account)
    await tables.write({ account: account.id }, (query) => schedulePurge(query, 64, now()))
    await api.control('POST', '/control/drain')
    expect((await countsOf(account.id)).delivery, 'a minute before').toBe(amount.old + amount.open + amount.fresh)
    time += purgeDelay / 1000
    for (let part = 0; part < 50; part++) {
      await api.control('POST', '/control/drain')
      time += 1000
    }
    expectOnlyRest(await countsOf(account.id))
  })

  test('is deleted by an operator at once, also what is younger', async () => {
    const account = await api.account()
    await fill(account)
    time += 3_700_000
    const { body } = await api.control('POST', '/control/purge', { older_than: '1h' })
    expect(body).toMatchObject({ message: expect.stringMatching(/^Deleted: deliveries \d+, events \d+, runs \d+/) })
    expect(await countsOf(account.id)).toMatchObject({ outbox: amount.open, delivery: amount.open, automation_run: 4 })
  })

  test('is deleted of what waited for the contact hours, but not what still waits or ended since', async () => {
    const account = await api.account()
    const row = (id: number, state: 'waiting' | 'started' | 'cancelled' | 'parked', updated_at: number) => ({
      ...{ account_id: account.id, id, channel: 'sms' as const, phone_number: '+14155550142', state, request: '{}' },
      ...{ run_id: null, key_id: null, idempotency_key: null, opens_at: 1, started_id: null, failure: null },
      ...{ created_at: oldest() - 1, updated_at },
    })
    const [old, late] = [oldest() - 1, now()]
    await tables.write({ account: account.id }, async (query) => {
      await query
        .insertInto('waiting_contact')
        .values([
          row(1, 'started', old),
          row(2, 'waiting', old),
          row(3, 'cancelled', late),
          row(4, 'parked', old),
          row(5, 'cancelled', old),
        ])
        .execute()
      await schedulePurge(query, 64, now())
    })
    time += purgeDelay / 1000
    await api.control('POST', '/control/drain')
    const left = await accountQuery(tables.read, account.id)
      .selectFrom('waiting_contact')
      .select('id')
      .where('account_id', '=', account.id)
      .orderBy('id')
      .execute()
    // The number of the next one follows that of the last.
    expect(left.map(({ id }) => id)).toEqual([2, 3, 5])
  })
})
