import { beforeAll, describe, expect, test } from 'vitest'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import {
  purgeDelay,
  purgeJobKind,
  retentionMicros,
  schedulePurge,
} from '../../../../src/platform/store/runtime/purge-batches.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import type { Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

/** More events and runs than two transactions delete, and those that stay because they are new. */
const amount = { events: 600, runs: 60, fresh: 5 }
const stepsOfRun = 3

describe.each(databases)('a purge on $name whose process is killed', (database) => {
  /** Returns a place with an account that has old and new events with deliveries, and runs with steps, and a purge that is due. */
  async function prepared(): Promise<{ readonly id: number; readonly place: Place; readonly tables: Connection }> {
    const place = await newPlace(database)
    const api = await openAt(place)
    const { id } = await api.account()
    await api.platform.close()
    const tables = await tablesOf(place)
    const now = Date.now() * 1000
    const at = (n: number, old: number): number => (n < old ? now - retentionMicros - 1_000_000 * (2000 - n) : now)
    const numbers = (old: number): number[] => Array.from({ length: old + amount.fresh }, (_, n) => n)
    await tables.write({ account: id }, async (query) => {
      const own = { account_id: id }
      const events = await query
        .insertInto('outbox')
        .values(
          numbers(amount.events).map((n) => ({
            ...{ ...own, kind: 'x', subject: 'x', payload: '{}' },
            ...{ created_at: at(n, amount.events), handled_at: at(n, amount.events) },
          })),
        )
        .returning('id')
        .execute()
      // A request that is sent while a call rings has no event, so that deliveries end later than events.
      const causes = events.flatMap((it, n) => (n < amount.events ? [null, it.id] : [it.id]))
      const deliveries = await query
        .insertInto('delivery')
        .values(
          causes.map((outbox_id, n) => ({
            ...{
              ...own,
              outbox_id,
              message_id: `msg-${n}`,
              event: 'post_call' as const,
              lane: 'x',
              assistant_id: null,
            },
            ...{ sender_id: null, url: 'https://x.example', payload: '{}', status: 'delivered' as const, attempts: 1 },
            ...{ tries_left: 3, next_attempt_at: null, last_status: 200, last_error: null, finished_at: 1 },
            created_at: at(n / 2, amount.events),
          })),
        )
        .returning('id')
        .execute()
      await query
        .insertInto('delivery_attempt')
        .values(
          deliveries.map(({ id: delivery_id }) => ({
            ...{ ...own, delivery_id, number: 1, at: 1, ms: 1, status: 200, error: null, answer: '' },
          })),
        )
        .execute()
      const runs = await query
        .insertInto('automation_run')
        .values(
          numbers(amount.runs).map((n) => ({
            ...{ ...own, id: `run-${n}`, automation_id: 'a', version_id: 'v', testing: 0, payload: '{}', claims: 1 },
            ...{ status: 'SUCCEEDED' as const, held: 0, mark: 0, stalls: 0, round: 1, active: 0, answer: null },
            ...{ error: null, dedupe_key: null, cancelled_at: null },
            ...{ created_at: at(n, amount.runs), finished_at: at(n, amount.runs) },
          })),
        )
        .returning(['number', 'id'])
        .execute()
      await query
        .insertInto('automation_step')
        .values(
          runs.flatMap(({ number }) =>
            Array.from({ length: stepsOfRun }, (_, position) => ({
              ...{ ...own, run: number, path: `step_${position}`, name: `step_${position}`, position, attempt: 1 },
              ...{ status: 'SUCCEEDED' as const, failures: 0, input: null, output: null, error: null, log: null },
              ...{ classification: null, unresolved: null, items: null, started_at: 1, finished_at: 1, shown: null },
            })),
          ),
        )
        .execute()
      await query
        .insertInto('automation_act')
        .values(runs.map((run) => ({ ...own, key: `${run.id}:step_1`, result: '{}', created_at: 1 })))
        .execute()
      await schedulePurge(query, 64, now - purgeDelay)
    })
    return { id, place, tables }
  }

  /** Returns rows that a reader would take for damaged, because something that belongs to them is missing. */
  async function findHalves({ read: all }: Connection, account: number): Promise<string[]> {
    const read = accountQuery(all, account)
    const events = new Set((await read.selectFrom('outbox').select('id').execute()).map((it) => it.id))
    const deliveries = await read.selectFrom('delivery').select(['id', 'outbox_id']).execute()
    const attempts = await read.selectFrom('delivery_attempt').select('delivery_id').execute()
    const runs = await read.selectFrom('automation_run').select(['id', 'number']).execute()
    const steps = await read.selectFrom('automation_step').select('run').execute()
    const results = await read.selectFrom('automation_act').select('key').execute()
    const attempted = new Set(attempts.map((it) => it.delivery_id))
    const numbers = runs.map((it) => it.number)
    return [
      ...deliveries
        .filter((it) => it.outbox_id !== null && !events.has(it.outbox_id))
        .map((it) => `delivery ${it.id} has no event`),
      ...deliveries.filter((it) => !attempted.has(it.id)).map((it) => `delivery ${it.id} has no attempt`),
      ...(attempts.length === deliveries.length ? [] : [`${attempts.length} attempts of ${deliveries.length}`]),
      ...numbers
        .filter((number) => steps.filter((it) => it.run === number).length !== stepsOfRun)
        .map((number) => `run ${number} has not all steps`),
      ...(steps.length === runs.length * stepsOfRun ? [] : [`${steps.length} steps of ${runs.length} runs`]),
      ...(results.length === runs.length ? [] : [`${results.length} results of ${runs.length} runs`]),
    ]
  }

  test('after any commit has deleted nothing by half, and another process completes it', async () => {
    const { id, place, tables } = await prepared()
    const own = accountQuery(tables.read, id)
    const isScheduled = async (): Promise<boolean> =>
      (await own.selectFrom('due').select('kind').where('kind', '=', purgeJobKind).execute()).length > 0
    let kills = 0
    for (let commits = 1; await isScheduled(); commits++) {
      const worker = start()
      afterFile(() => worker.kill())
      await worker.tell({ do: 'open', settings: place, kill: commits })
      let isAlive = true
      // Parts of a purge pause between each other.
      while (isAlive && (await isScheduled())) isAlive = (await worker.tell({ do: 'drain' })) !== undefined
      await worker.kill()
      if (!isAlive) kills++
      expect(await findHalves(tables, id), `killed after commit ${commits}`).toEqual([])
    }
    expect(kills).toBeGreaterThan(3)
    const left = async (table: 'outbox' | 'delivery' | 'automation_run') =>
      (await own.selectFrom(table).select('account_id').execute()).length
    expect([await left('outbox'), await left('delivery'), await left('automation_run')]).toEqual([
      amount.fresh,
      amount.fresh,
      amount.fresh,
    ])
  })
})
