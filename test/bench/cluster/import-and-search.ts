import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listLeads } from '../../../src/platform/store/campaigns/leads.ts'
import { accountQuery } from '../../../src/platform/store/database/account-query.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { type Figure, least, limit, median, quantile } from '../measurements.ts'
import { freePort, type Home, program, runUsage, startServer, timed } from '../processes.ts'
import type { DatabaseCpu } from './database-cpu.ts'

const section = 'cluster'

/** Seconds in which 100 000 leads must be imported. */
const importSeconds = 150
/** Leads that an import through a server must create in a second. */
const importRate = 5000
/** Parts of numbers, each with the number of searches. */
const parts = ['2345678', '345678', '12345', '54321', '7777777']
const searches = 10
const limitMs = 20

/**
 * Measures an import of leads by the command line, and then searches for a part of a number, among ten times as many
 * leads of one account.
 */
export async function importAndSearch({
  home,
  server,
  cpu,
  rows,
}: {
  readonly home: Home
  /** URL of the maintenance database. */
  readonly server: string
  readonly cpu: DatabaseCpu
  readonly rows: number
}): Promise<readonly Figure[]> {
  await order(server, 'create database parley_lists')
  const url = databaseUrl(server, 'parley_lists')
  const env = { ...home.env, PARLEY_DATA_DIR: join(home.folder, 'lists'), PARLEY_DATABASE: url }
  await timed([program, 'campaigns', 'list'], env)
  const file = join(home.folder, 'leads.csv')
  const line = (_: unknown, n: number): string => `+1415${2_000_000 + n},Anna ${n},Monday\n`
  writeFileSync(file, `phone,first_name,appointment_day\n${Array.from({ length: rows }, line).join('')}`)
  const before = cpu()
  const args = [program, 'leads', 'import', '--campaign', '1', '--file', file, '--quiet']
  const { ms, cpuMs } = await runUsage(args, env, home.folder)
  const after = cpu()
  await addLeads(url, rows * 9)
  return [
    {
      section,
      what: `import of ${rows} leads`,
      value: ms / 1000,
      unit: 's',
      before: (360 * rows) / 100_000,
      budget: limit((importSeconds * rows) / 100_000),
    },
    { section, what: '  CPU time of a lead, command', value: cpuMs / rows, unit: 'ms' },
    ...(before === undefined || after === undefined
      ? []
      : [{ section, what: '  CPU time of a lead, PostgreSQL', value: (after - before) / rows, unit: 'ms' as const }]),
    await searchTime(url, rows * 10),
    ...(await importThroughServer({ home, url, cpu, rows })),
  ]
}

/**
 * Measures imports by the command line through a server: with a request for many leads, and with one for each, which a
 * fault rule that meets no lead makes it send.
 */
async function importThroughServer({
  home,
  url,
  cpu,
  rows,
}: {
  readonly home: Home
  readonly url: string
  readonly cpu: DatabaseCpu
  readonly rows: number
}): Promise<readonly Figure[]> {
  const folder = join(home.folder, 'lists')
  const port = await freePort()
  const local = { ...home.env, PARLEY_DATA_DIR: folder, PARLEY_DATABASE: url }
  const args = [program, 'server', 'start', '--port', String(port), '--database', url]
  const server = await startServer(args, { env: local, folder: home.folder, port, path: '/readyz', headers: {} })
  try {
    const parley = async (...words: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [program, ...words], { env: local })).stdout
    const { key } = JSON.parse(await parley('server', 'accounts', 'key', '1', '--json')) as { key: string }
    const env = {
      ...home.env,
      PARLEY_DATA_DIR: join(home.folder, 'importer'),
      PARLEY_BASE_URL: `http://127.0.0.1:${port}`,
      PARLEY_API_KEY: key,
    }
    const file = join(home.folder, 'further.csv')
    const importRows = async (first: number, count: number): Promise<ImportUsage> => {
      const line = (_: unknown, n: number): string => `+1212${2_000_000 + first + n},Anna ${n},Monday\n`
      writeFileSync(file, `phone,first_name,appointment_day\n${Array.from({ length: count }, line).join('')}`)
      const [before, databaseBefore] = [await server.usage(), cpu() ?? 0]
      const args = [program, 'leads', 'import', '--campaign', '1', '--file', file, '--quiet']
      const { ms, cpuMs } = await runUsage(args, env, home.folder)
      const [after, databaseAfter] = [await server.usage(), cpu() ?? 0]
      const us = (used: number): number => (used * 1000) / count
      return {
        perSecond: (count / ms) * 1000,
        command: us(cpuMs),
        server: us(after.cpuMs - before.cpuMs),
        PostgreSQL: us(databaseAfter - databaseBefore),
      }
    }
    const runs = [await importRows(0, rows), await importRows(rows, rows), await importRows(2 * rows, rows)]
    const together = runs.map((it) => it.perSecond)
    await parley('server', 'faults', 'create', 'leads.create', '--status', '503', '--where', 'phone_number=none')
    const alone = await importRows(3 * rows, Math.ceil(rows / 10))
    return [
      {
        section,
        what: `leads imported through a server, ${rows}`,
        value: median(together),
        unit: '/s',
        spread: [quantile(together, 0.25), quantile(together, 0.75)],
        budget: least(importRate),
      },
      ...(['command', 'server', 'PostgreSQL'] as const).map((part) => ({
        section,
        what: `  CPU time of a lead, ${part}`,
        value: median(runs.map((it) => it[part])),
        unit: 'us' as const,
      })),
      { section, what: '  with a request for each', value: alone.perSecond, unit: '/s' },
    ]
  } finally {
    await server.stop()
  }
}

/** What an import used: leads in a second, and microseconds of CPU time for a lead. */
interface ImportUsage {
  readonly perSecond: number
  readonly command: number
  readonly server: number
  readonly PostgreSQL: number
}

async function addLeads(url: string, rows: number): Promise<void> {
  const step = 100_000
  for (let first = 0; first < rows; first += step)
    await order(
      url,
      `insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, created_at, updated_at)
        select 1, 1, '+1415' || (2000000 + n * 7919 % 8000000), '{}', 'completed', 0, 0, 1760000000000000 + n * 1000000, 1
        from generate_series(${first + 1}::bigint, ${Math.min(rows, first + step)}) n`,
    )
  await order(url, 'vacuum analyze lead')
}

async function searchTime(url: string, rows: number): Promise<Figure> {
  const store = await openStore({ url })
  try {
    const times: number[] = []
    for (let n = 0; n < searches; n++)
      for (const phone of parts) {
        const start = performance.now()
        await listLeads(accountQuery(store.read, 1), { account: 1, filters: {}, phone, offset: 0, limit: 20 })
        times.push(performance.now() - start)
      }
    return {
      section,
      what: `part of a number among ${rows} leads`,
      value: median(times),
      unit: 'ms',
      spread: [quantile(times, 0.25), quantile(times, 0.75)],
      budget: limit(limitMs),
    }
  } finally {
    await store.close()
  }
}
