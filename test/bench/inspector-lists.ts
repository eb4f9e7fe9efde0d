import { readFileSync } from 'node:fs'
import { listNamedRuns } from '../../src/platform/store/automations/runs.ts'
import { listCalls } from '../../src/platform/store/calls/phone-calls.ts'
import { listLeads } from '../../src/platform/store/campaigns/leads.ts'
import { listConversations, listWindows } from '../../src/platform/store/conversations/conversations.ts'
import { accountQuery } from '../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../src/platform/store/database/connection.ts'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { listDeliveries } from '../../src/platform/store/deliveries/deliveries.ts'
import { listSentMessages } from '../../src/platform/store/messaging/channel-messages.ts'
import { listScheduledJobs } from '../../src/platform/store/runtime/activity.ts'
import { listRecordedEntries, type RecordedKind } from '../../src/platform/store/runtime/recorded-entries.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'
import { fillPostgres, recordFilling } from './account-data.ts'
import { cachedData, openSaved } from './cached-data.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { makeHome, program, timed } from './processes.ts'

const kinds: readonly RecordedKind[] = ['event', 'delivery', 'run', 'message', 'call', 'ledger']
const page = { offset: 0, limit: 50 }
/** A time at which most windows are closed, in microseconds. */
const now = 3_900_000_000_000_000

/** Measures the first page of lists of the inspector with `rows` rows of each kind, also filtered and searched. */
export async function inspectorLists(
  rounds: number,
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const connection = await openSaved(await cachedData('inspector-rows', rows, [recordFilling], say))
  try {
    return [...(await firstPages('SQLite', connection, rounds, rows)), ...(await overPostgres(rounds, rows, say))]
  } finally {
    await connection.close()
  }
}

async function overPostgres(rounds: number, rows: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const home = makeHome()
  const postgres = await startPostgres()
  try {
    await order(postgres.url, 'create database records')
    const url = databaseUrl(postgres.url, 'records')
    await timed([program, 'campaigns', 'list'], { ...home.env, PARLEY_DATABASE: url })
    say(`  building ${rows} rows of each kind in PostgreSQL`)
    await fillPostgres(url, rows)
    // As it is delivered, for the role of this PostgreSQL.
    const settings = readFileSync('deploy/postgres.sql', 'utf8')
    await order(url, settings.replaceAll('role parley', `role ${new URL(url).username}`))
    const connection = await openStore({ url })
    try {
      return await firstPages('PostgreSQL', connection, rounds, rows)
    } finally {
      await connection.close()
    }
  } finally {
    await postgres.stop()
    home.remove()
  }
}

async function firstPages(
  database: string,
  connection: Connection,
  rounds: number,
  rows: number,
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [what, read] of Object.entries(listsOf(connection))) {
    await read()
    const times: number[] = []
    for (let n = 0; n < rounds; n++) {
      const start = performance.now()
      await read()
      times.push(performance.now() - start)
    }
    figures.push({
      section: 'inspector',
      what: `${what}, ${rows} rows, ${database}`,
      value: median(times),
      unit: 'ms',
      spread: [quantile(times, 0.25), quantile(times, 0.75)],
      budget: limit(200),
    })
  }
  return figures
}

function listsOf({ read, dialect }: Connection): Readonly<Record<string, () => Promise<unknown>>> {
  const query = accountQuery(read, 1)
  const timeline =
    (filters: object): (() => Promise<unknown>) =>
    () =>
      Promise.all(kinds.map((kind) => listRecordedEntries(read, kind, { limit: 101, ...filters }, dialect)))
  return {
    'timeline of an account': timeline({ account: 1 }),
    'timeline of all accounts': timeline({}),
    'timeline, failed': timeline({ account: 1, status: 'failed' }),
    'timeline, of a rare status': timeline({ account: 1, status: 'paused' }),
    'timeline, searched without a match': timeline({ account: 1, search: 'nowhere' }),
    runs: () => listNamedRuns(query, page),
    'paused runs': () => listNamedRuns(query, { status: 'PAUSED', ...page }),
    'cancelled runs': () => listNamedRuns(query, { status: 'CANCELLED', ...page }),
    'failed runs': () => listNamedRuns(query, { status: 'FAILED', ...page }),
    deliveries: () => listDeliveries(read, { account: 1 }, 50),
    'pending deliveries': () => listDeliveries(read, { account: 1, status: 'pending' }, 50),
    'failed deliveries': () => listDeliveries(read, { account: 1, status: 'failed' }, 50),
    calls: () => listCalls(query, {}, page),
    conversations: () => listConversations(query, { account: 1, filters: {}, ...page }),
    'conversations of a type': () => listConversations(query, { account: 1, filters: { type: 'messaging' }, ...page }),
    windows: () => listWindows(query, { status: 'all', now }, page),
    'open windows': () => listWindows(query, { status: 'open', now }, page),
    'messages sent': () => listSentMessages(query, {}, page),
    'failed messages': () => listSentMessages(query, { status: 'failed' }, page),
    'messages that were read': () => listSentMessages(query, { status: 'read' }, page),
    'messages to a number': () => listSentMessages(query, { recipient: '+14152000007' }, page),
    'leads of a campaign': () => listLeads(query, { account: 1, filters: { campaign_id: 1 }, ...page }),
    'leads of a campaign and status': () =>
      listLeads(query, { account: 1, filters: { campaign_id: 1, status: 'completed' }, ...page }),
    'scheduled jobs': () => listScheduledJobs(read, 200),
  }
}
