import { listNamedRuns } from '../../src/platform/store/automations/runs.ts'
import { listCalls } from '../../src/platform/store/calls/phone-calls.ts'
import { accountQuery } from '../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../src/platform/store/database/connection.ts'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { listDeliveries } from '../../src/platform/store/deliveries/deliveries.ts'
import { listRecordedEntries, type RecordedKind } from '../../src/platform/store/runtime/recorded-entries.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'
import { fillPostgres, recordFilling } from './account-data.ts'
import { cachedData, openSaved } from './cached-data.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { makeHome, program, timed } from './processes.ts'

const kinds: readonly RecordedKind[] = ['event', 'delivery', 'run', 'message', 'call', 'ledger']
const page = { offset: 0, limit: 50 }

/** Measures the first page of lists of the inspector with `rows` rows of each kind, also filtered and searched. */
export async function inspectorLists(
  rounds: number,
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const connection = await openSaved(await cachedData('record-rows', rows, [recordFilling], say))
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
    'failed runs': () => listNamedRuns(query, { status: 'FAILED', ...page }),
    deliveries: () => listDeliveries(read, { account: 1 }, 50),
    'failed deliveries': () => listDeliveries(read, { account: 1, status: 'failed' }, 50),
    calls: () => listCalls(query, {}, page),
  }
}
