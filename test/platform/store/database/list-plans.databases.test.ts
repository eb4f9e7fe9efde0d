import { CompiledQuery, DefaultQueryExecutor, sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { waitingLeads } from '../../../../src/platform/services/campaigns/status-transitions.ts'
import { listNamedRuns } from '../../../../src/platform/store/automations/runs.ts'
import { listCalls } from '../../../../src/platform/store/calls/phone-calls.ts'
import {
  insertLeads,
  listDueLeads,
  listKnownNumbers,
  listProcessingLeads,
  type NewLead,
} from '../../../../src/platform/store/campaigns/leads.ts'
import { listWindows } from '../../../../src/platform/store/conversations/conversations.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { AccountQuery, Connection } from '../../../../src/platform/store/database/connection.ts'
import { listDeliveries } from '../../../../src/platform/store/deliveries/deliveries.ts'
import { listSentMessages } from '../../../../src/platform/store/messaging/channel-messages.ts'
import { listRecordedEntries, type RecordedKind } from '../../../../src/platform/store/runtime/recorded-entries.ts'
import { databases } from '../../../support/databases.ts'

/** On shards, a plan is that of each shard. */
const isSharded = process.env.PARLEY_TEST_CITUS !== undefined

/** A list, and the index in whose order its rows are read. */
interface List {
  readonly name: string
  readonly index: string
  read(connection: Connection): Promise<unknown>
}

const first = { offset: 0, limit: 15 }
const ofAccount = (name: string, index: string, read: (query: AccountQuery) => Promise<unknown>): List => ({
  name,
  index,
  read: (connection) => read(accountQuery(connection.read, 1)),
})

const timeline = (kind: RecordedKind, index: string, name: string, filters: object): List => ({
  name: `timeline of ${kind}: ${name}`,
  index,
  read: ({ read, dialect }) => listRecordedEntries(read, kind, { limit: 100, ...filters }, dialect),
})

const timelines: readonly (readonly [kind: RecordedKind, ofOne: string, ofAll: string])[] = [
  ['event', 'outbox_listed', 'outbox_created'],
  ['delivery', 'delivery_listed', 'delivery_created'],
  ['run', 'automation_run_listed', 'automation_run_created'],
  ['message', 'message_listed', 'message_created'],
  ['call', 'phone_call_timed', 'phone_call_created'],
  ['ledger', 'ledger_listed', 'ledger_created'],
]

const lists: readonly List[] = [
  ...timelines.flatMap(([kind, ofOne, ofAll]) => [
    timeline(kind, ofOne, 'newest', { account: 1 }),
    timeline(kind, ofOne, 'next page', { account: 1, after: { at: 1_000_000, order: 7 } }),
    timeline(kind, ofOne, 'since', { account: 1, since: 1_000_000 }),
    timeline(kind, ofOne, 'searched', { account: 1, search: 'anna' }),
    timeline(kind, ofOne, 'of a status', { account: 1, status: 'paused' }),
    timeline(kind, ofAll, 'of all accounts', {}),
    timeline(kind, ofAll, 'searched in all accounts', { search: 'anna' }),
  ]),
  timeline('delivery', 'delivery_failed', 'failed', { account: 1, status: 'failed' }),
  timeline('run', 'automation_run_failed', 'failed', { account: 1, status: 'failed' }),
  timeline('call', 'phone_call_failed', 'failed', { account: 1, status: 'failed' }),
  ofAccount('runs', 'automation_run_account', (query) => listNamedRuns(query, { limit: 50 })),
  ofAccount('failed runs', 'automation_run_failed', (query) => listNamedRuns(query, { status: 'FAILED', limit: 50 })),
  ofAccount('cancelled runs', 'automation_run_failed', (query) =>
    listNamedRuns(query, { status: 'CANCELLED', limit: 50 }),
  ),
  ofAccount('runs in progress', 'automation_run_running', (query) =>
    listNamedRuns(query, { status: 'RUNNING', limit: 50 }),
  ),
  ofAccount('paused runs', 'automation_run_paused', (query) => listNamedRuns(query, { status: 'PAUSED', limit: 50 })),
  {
    name: 'pending deliveries',
    index: 'delivery_pending',
    read: ({ read }) => listDeliveries(read, { account: 1, status: 'pending' }, 50),
  },
  {
    name: 'deliveries',
    index: 'delivery_account',
    read: ({ read }) => listDeliveries(read, { account: 1 }, 50),
  },
  {
    name: 'failed deliveries',
    index: 'delivery_failed',
    read: ({ read }) => listDeliveries(read, { account: 1, status: 'failed' }, 50),
  },
  ofAccount('calls', 'phone_call_account', (query) => listCalls(query, {}, first)),
  ofAccount('messages', 'channel_message_account', (query) => listSentMessages(query, {}, first)),
  ofAccount('failed messages', 'channel_message_failed', (query) =>
    listSentMessages(query, { status: 'failed' }, first),
  ),
  ofAccount('messages that were read', 'channel_message_status', (query) =>
    listSentMessages(query, { status: 'read' }, first),
  ),
  ofAccount('messages to a number', 'channel_message_recipient', (query) =>
    listSentMessages(query, { recipient: '+14155550142' }, first),
  ),
  ofAccount('leads that are due', 'lead_due', (query) => listDueLeads(query, 1, waitingLeads, 5, 10)),
  ofAccount('open windows', 'conversation_window', (query) => listWindows(query, { status: 'open', now: 5 }, first)),
  ofAccount('all windows', 'conversation_window', (query) => listWindows(query, { status: 'all', now: 5 }, first)),
]

/** PostgreSQL chooses between two indexes by the number of rows, which a table without rows does not have. */
const listsOfSqlite: readonly List[] = [
  ofAccount('runs of an automation', 'automation_run_automation', (query) =>
    listNamedRuns(query, { automation: 'flow', limit: 50 }),
  ),
  // A campaign has many leads, and few of them are processed at a time.
  ofAccount('leads that are processed', 'lead_listed_campaign_id_status', (query) => listProcessingLeads(query, 1)),
]

/** Plans of PostgreSQL that tables without rows have, although their lists have an index. */
const plansWithoutRows = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort']

/** Returns the plan of the first statement of a list, in lines. PostgreSQL does not use the plans in `disabled`. */
async function planOf(connection: Connection, list: List, disabled = plansWithoutRows): Promise<string[]> {
  const asked: CompiledQuery[] = []
  const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async (query) => {
    asked.push(query)
    return { rows: [] }
  })
  // The second statement has no row to count with.
  await list.read(connection).catch(() => {})
  spy.mockRestore()
  const [{ sql: text, parameters } = { sql: '', parameters: [] }] = asked
  if (connection.dialect === 'sqlite') {
    const { rows } = await connection.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
    )
    return rows.map((it) => it.detail)
  }
  return connection.write('everything', async (query) => {
    for (const name of disabled) await sql.raw(`set local ${name} = off`).execute(query)
    const { rows } = await query.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]),
    )
    return rows.map((it) => it['QUERY PLAN'].trim())
  })
}

/** Counts the tables that a plan reads as a whole. SQLite also scans the rows of a subquery, which has the name of its table. */
function countWholeScans(plan: readonly string[]): number {
  const count = (line: RegExp): number => plan.filter((it) => line.test(it)).length
  return count(/^SCAN (?:r|a|c|run)$|Seq Scan|Bitmap/) - count(/^(?:CO-ROUTINE|MATERIALIZE) r$/)
}

const newLead = (n: number): NewLead => ({
  ...{ account_id: 1, campaign_id: 1, phone_number: `+1415${2_000_000 + n}`, variables: '{}', status: 'created' },
  ...{ contacts: 0, attempts: 0, next_attempt_at: 1, last_attempt_at: null, fallback_sent_at: null },
  ...{ created_at: 1, updated_at: 1 },
})

const firstAccount = {
  ...{ id: 1, name: 'One', email: 'a@example.com', kind: 'tenant' as const },
  ...{ balance: 0, minute_rate: 0, created_at: 1 },
}

describe.skipIf(isSharded).each(databases)('on $name', (database) => {
  test('a page of each list, filter and search reads an index and no whole table', async () => {
    const connection = await database.fresh()
    const wrong: object[] = []
    for (const list of database.name === 'sqlite' ? [...lists, ...listsOfSqlite] : lists) {
      const plan = await planOf(connection, list)
      const isWhole = countWholeScans(plan) > 0
      // PostgreSQL has the same index as a primary key that begins with the account.
      const names = [list.index, list.index.replace(/_account$/, '_pkey_account')]
      const isInOrder = plan.some((it) => it.split(/\W+/).some((word) => names.includes(word)))
      if (isWhole || !isInOrder) wrong.push({ name: list.name, index: list.index, plan })
    }
    expect(wrong).toEqual([])
  })

  test('a search in the newest entries of a long list reads only these', async () => {
    const connection = await database.fresh()
    await connection.write('everything', async (query) => {
      await query.insertInto('account').values(firstAccount).execute()
      await sql`insert into ledger (account_id, kind, unit, amount, reason, created_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000)
        select 1, 'grant', 'usd', 1, 'Grant', n from numbers`.execute(query)
      await sql`analyze ledger`.execute(query)
    })
    for (const filters of [{ search: 'anna' }, { status: 'paused' }]) {
      const plan = await planOf(connection, timeline('ledger', '', '', { account: 1, ...filters }), [])
      expect(countWholeScans(plan), plan.join('\n')).toBe(0)
    }
  })

  test('each number of an import is found with the index, also before there are statistics of the table', async () => {
    const connection = await database.fresh()
    const leads = Array.from({ length: 5000 }, (_, n) => newLead(n))
    await connection.write('everything', async (query) => {
      await query.insertInto('account').values(firstAccount).execute()
      const campaign = {
        name: 'One',
        channel: 'call',
        status: 'draft',
        settings: '{}',
        created_at: 1,
        updated_at: 1,
      } as const
      await query
        .insertInto('campaign')
        .values({ id: 1, account_id: 1, ...campaign })
        .execute()
    })
    await connection.write({ account: 1 }, (query) => insertLeads(query, leads))
    const numbers = leads.slice(0, 500).map((it) => it.phone_number)
    const list = ofAccount('known numbers', 'lead_phone', (query) => listKnownNumbers(query, 1, numbers))
    expect((await planOf(connection, list, [])).join('\n')).toContain('lead_phone')
    expect(await listKnownNumbers(accountQuery(connection.read, 1), 1, [...numbers, '+19995550100'])).toEqual(
      new Set(numbers),
    )
  })
})
