import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listLeads } from '../../../src/platform/store/campaigns/leads.ts'
import { accountQuery } from '../../../src/platform/store/database/account-query.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { type Figure, limit, median, quantile } from '../measurements.ts'
import { type Home, program, runUsage, timed } from '../processes.ts'
import type { DatabaseCpu } from './database-cpu.ts'

const section = 'cluster'

/** Seconds in which 100 000 leads must be imported. */
const importSeconds = 150
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
  ]
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
