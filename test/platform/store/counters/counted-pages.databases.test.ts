import fc from 'fast-check'
import { CompiledQuery, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { LeadStatus } from '../../../../src/platform/store/campaigns/tables.ts'
import { countWrongCounters, leadList } from '../../../../src/platform/store/counters/counted-lists.ts'
import { createPageReader, type PageQuery } from '../../../../src/platform/store/counters/counted-pages.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { checkCounters, rebuildChecked } from '../../../../src/platform/store/database/check-integrity.ts'
import type { Connection, Query } from '../../../../src/platform/store/database/connection.ts'
import { databases, opened } from '../../../support/databases.ts'

const day = 86_400_000_000
const statuses = ['created', 'processing', 'completed'] as const
const pages = createPageReader<{ id: number; campaign_name: string }>(leadList)
/** Looks every page up in the counters, however near it is. */
const lookedUp = createPageReader<{ id: number; campaign_name: string }>(leadList, 0)

/** Two accounts; the first has two campaigns, the second one. */
async function peopled(connection: Connection): Promise<void> {
  await connection.write('everything', async (query) => {
    for (const [name, campaigns] of [
      ['One', 2],
      ['Two', 1],
    ] as const) {
      const account = await query
        .insertInto('account')
        .values({
          name,
          email: 'a@example.com',
          kind: 'tenant',
          balance: 0,
          minute_rate: 0,
          payment_method: null,
          created_at: 1,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      for (let n = 1; n <= campaigns; n++)
        await query
          .insertInto('campaign')
          .values({
            account_id: account.id,
            name: `${name} ${n}`,
            channel: 'call',
            status: 'draft',
            assistant_id: null,
            sms_number_id: null,
            fallback_number_id: null,
            settings: '{}',
            starts_at: null,
            created_at: 1,
            updated_at: 1,
            deleted_at: null,
          })
          .execute()
    }
  })
}

const owner = (campaign: number): number => (campaign < 3 ? 1 : 2)

const add = (query: Query, campaign: number, status: LeadStatus, at: number, id?: number): Promise<unknown> =>
  query
    .insertInto('lead')
    .values({
      ...(id !== undefined && { id }),
      account_id: owner(campaign),
      campaign_id: campaign,
      phone_number: '+14155550100',
      variables: '{}',
      status,
      contacts: 0,
      attempts: 0,
      next_attempt_at: null,
      last_attempt_at: null,
      fallback_sent_at: null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((it) => it.doNothing())
    .execute()

/** What is done to the rows: several at once, some of it undone in the end. Days lie in four coarse buckets, ids in many fine ones. */
const campaign = fc.integer({ min: 1, max: 3 })
const status = fc.constantFrom(...statuses)
const moment = fc.tuple(
  fc.oneof(fc.constant(20_000), fc.integer({ min: 19_940, max: 20_010 })),
  fc.integer({ min: 0, max: day - 1 }),
)
const id = fc.integer({ min: 1, max: 30_000 })
const range = fc.tuple(id, fc.integer({ min: 0, max: 4000 }))
const deed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      campaign,
      status,
      moment,
      ids: fc.array(id, { minLength: 1, maxLength: 12 }),
    }),
  },
  fc.record({ do: fc.constant('move' as const), range, to: status }),
  fc.record({ do: fc.constant('file' as const), range, campaign: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ do: fc.constant('date' as const), range, moment }),
  fc.record({ do: fc.constant('touch' as const), range }),
  fc.record({ do: fc.constant('delete' as const), range }),
)
const deeds = fc.array(fc.tuple(deed, fc.constantFrom('kept', 'kept', 'kept', 'undone')), {
  minLength: 20,
  maxLength: 40,
})
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never

const at = ([days, micros]: [number, number]): number => days * day + micros

async function perform(query: Query, deed: Deed): Promise<void> {
  if (deed.do === 'add') for (const id of deed.ids) await add(query, deed.campaign, deed.status, at(deed.moment), id)
  else {
    const [from, length] = deed.range
    const changed = query
      .updateTable('lead')
      .where('id', '>=', from)
      .where('id', '<=', from + length)
    if (deed.do === 'move') await changed.set({ status: deed.to }).execute()
    else if (deed.do === 'file') await changed.where('account_id', '=', 1).set({ campaign_id: deed.campaign }).execute()
    else if (deed.do === 'date') await changed.set({ created_at: at(deed.moment) }).execute()
    else if (deed.do === 'touch') await changed.set({ attempts: 7, status: sql.ref('status') }).execute()
    else
      await query
        .deleteFrom('lead')
        .where('id', '>=', from)
        .where('id', '<=', from + length)
        .execute()
  }
}

const wanted: fc.Arbitrary<PageQuery> = fc.record({
  account: fc.constantFrom(1, 1, 2),
  filters: fc.record({
    campaign_id: fc.option(campaign, { nil: undefined }),
    status: fc.option(status, { nil: undefined }),
  }),
  fromDay: fc.option(fc.integer({ min: 19_930, max: 20_005 }), { nil: undefined }),
  toDay: fc.option(fc.integer({ min: 19_950, max: 20_020 }), { nil: undefined }),
  offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
  limit: fc.integer({ min: 1, max: 100 }),
})

/** The same page, asked for as anybody would. */
async function naive(
  query: Query,
  { account, filters, fromDay, toDay, offset, limit }: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const all = await query
    .selectFrom('lead')
    .select(['id', 'created_at'])
    .where('account_id', '=', account)
    .$if(filters.campaign_id !== undefined, (it) => it.where('campaign_id', '=', filters.campaign_id as number))
    .$if(filters.status !== undefined, (it) => it.where('status', '=', filters.status as LeadStatus))
    .orderBy(sql`created_at / 86400000000`, 'desc')
    .orderBy('id', 'desc')
    .execute()
  const found = all.filter(
    (it) => it.created_at >= (fromDay ?? 0) * day && (toDay === undefined || it.created_at < (toDay + 1) * day),
  )
  return { ids: found.slice(offset, offset + limit).map((it) => it.id), total: found.length }
}

describe.each(databases)('a counted list on $name', (database) => {
  test('equals count(*) after concurrent inserts, updates, deletions and rollbacks', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, fc.array(wanted, { minLength: 25, maxLength: 25 }), async (work, looks) => {
        const target = await database.target()
        const connections = [await opened(target), await opened(target)]
        await peopled(connections[0] as Connection)
        const undone = new Error('undone')
        for (let n = 0; n < work.length; n += 6)
          await Promise.all(
            work.slice(n, n + 6).map(([deed, end], at) =>
              (connections[at % 2] as Connection)
                .write('rows', async (query) => {
                  await perform(query, deed)
                  if (end === 'undone') throw undone
                })
                .catch((error: unknown) => {
                  if (error !== undone) throw error
                }),
            ),
          )
        const { read } = connections[0] as Connection
        expect(await countWrongCounters(read, leadList)).toBe(0)
        for (const look of looks) {
          const said = await naive(read, look)
          for (const { rows, total } of [
            await pages(accountQuery(read, look.account), look),
            await lookedUp(accountQuery(read, look.account), look),
          ])
            expect({ ids: rows.map((it) => it.id), total }, JSON.stringify(look)).toEqual(said)
        }
        await Promise.all(connections.map((it) => it.close()))
      }),
      { seed: 4, numRuns: 8 },
    )
  })

  test('is right while several processes write', async () => {
    const target = await database.target()
    const connections = [await opened(target), await opened(target)]
    await peopled(connections[0] as Connection)
    const writers = Array.from({ length: 40 }, (_, n) =>
      (connections[n % 2] as Connection).write('rows', (query) =>
        add(query, 1 + (n % 3), statuses[n % 3] as LeadStatus, 20_000 * day + n),
      ),
    )
    const { read } = connections[0] as Connection
    for (let n = 0; n < 10; n++) expect(await countWrongCounters(read, leadList)).toBe(0)
    await Promise.all(writers)
    expect((await pages(accountQuery(read, 1), { account: 1, filters: {}, offset: 20, limit: 15 })).total).toBe(27)
  })

  test('that was changed outside Parley is detected and counted again', async () => {
    const connection = await database.fresh()
    await peopled(connection)
    await connection.write('rows', (query) => add(query, 1, 'created', 20_000 * day))
    const wrong = async () => (await checkCounters(connection.read)).find((it) => it.list === 'lead')?.wrong
    expect(await wrong()).toBe(0)
    await connection.write('rows', (query) =>
      query.updateTable('lead_count').set({ n: 3 }).where('level', '=', 1).execute(),
    )
    expect(await wrong()).toBe(4)
    await connection.write('rows', (query) => query.deleteFrom('lead_count').where('level', '=', 0).execute())
    expect(await countWrongCounters(connection.read, leadList)).toBe(8)
    expect(await connection.write('everything', rebuildChecked)).toContainEqual({ list: 'lead', wrong: 8 })
    expect(await wrong()).toBe(0)
    expect(
      await pages(accountQuery(connection.read, 1), {
        account: 1,
        filters: { status: 'created' },
        offset: 0,
        limit: 15,
      }),
    ).toMatchObject({
      total: 1,
      rows: [{ id: 1, campaign_name: 'One 1' }],
    })
  })

  test('is read from indexes, and only the page is sorted', async () => {
    const { dialect, read } = await database.fresh()
    if (dialect !== 'sqlite') return
    const choices = [{}, { campaign_id: 1 }, { status: 'created' }, { campaign_id: 1, status: 'created' }]
    for (const [filters, offset] of choices.flatMap((it) => [[it, 3] as const, [it, 800] as const])) {
      const asked: Pick<CompiledQuery, 'sql' | 'parameters'>[] = []
      const answer = (sql: string, parameters: readonly unknown[]) => {
        asked.push({ sql, parameters })
        return [{ total: 900, level: 3 - asked.length, bucket: 9, n: 900 }]
      }
      const watching = new Proxy(accountQuery(read, 1), {
        get: (target, name) =>
          name === 'executeQuery'
            ? async ({ sql, parameters }: CompiledQuery) => ({ rows: answer(sql, parameters) })
            : name === 'executeStatement'
              ? ({ sql }: CompiledQuery, parameters: readonly unknown[]) => answer(sql, parameters)
              : name === 'account'
                ? 1
                : (Reflect.get(target, name, target) as () => unknown).bind(target),
      })
      await lookedUp(watching, { account: 1, filters, fromDay: 20_000, offset, limit: 15 })
      const plans = await Promise.all(
        asked.map(({ sql, parameters }) =>
          read.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])),
        ),
      )
      const [all, inside, finest, page] = plans.map(({ rows }) =>
        rows.map((it) => it.detail).filter((it) => / lead(_count)? |TEMP B-TREE/.test(it)),
      )
      const counters = (conditions: string): string =>
        `SEARCH lead_count USING PRIMARY KEY (account_id=? AND campaign_id=? AND status=? AND ${conditions})`
      const buckets = counters('level=? AND bucket>? AND bucket<?')
      expect(all?.slice(0, 3)).toEqual([buckets, buckets, buckets])
      expect([inside?.[0], finest?.[0]]).toEqual([buckets, buckets])
      const index = ['lead_listed', ...Object.keys(filters)].join('_')
      expect(page?.[0]).toMatch(new RegExp(`^SEARCH lead USING INDEX ${index} \\(.*<expr>>\\? AND <expr><\\?\\)$`))
      // What is sorted is the page.
      expect(page?.slice(1)).toEqual(['USE TEMP B-TREE FOR ORDER BY'])
    }
  })
})
