import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../../src/platform/store/database/migrate.ts'
import { accountKeys } from '../../src/platform/store/migrations/0021-account-keys.ts'
import { migrations } from '../../src/platform/store/migrations/all.ts'
import { openPostgres } from '../../src/platform/store/postgres/open-postgres.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'
import { type Figure, quantile } from './measurements.ts'

const section = 'upgrade'
const accounts = 1000

/**
 * Leads of 1 000 accounts with the schema before the keys of accounts. Counters and the other indexes are left out: the
 * upgrade does not use them, and filling would take longer than all the rest.
 */
const fill = (rows: number): string[] => [
  `insert into account (name, email, kind, balance, minute_rate, created_at)
    select 'A', 'a@example.com', 'tenant', 1, 0, 1 from generate_series(1, ${accounts})`,
  `insert into campaign (account_id, name, channel, status, settings, created_at, updated_at)
    select n, 'C', 'call', 'paused', '{}', 1, 1 from generate_series(1, ${accounts}) n`,
  // Without triggers and checks of foreign keys.
  'set session_replication_role = replica',
  `do $$ declare name text; begin
    for name in select indexrelid::regclass from pg_index where indrelid = 'lead'::regclass and not indisunique
    loop execute 'drop index ' || name; end loop; end $$`,
  `insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, created_at, updated_at)
    select n % ${accounts} + 1, n % ${accounts} + 1, '+1415' || n, '{"first_name":"Anna","appointment_day":"Monday"}',
      'created', 0, 0, n, n from generate_series(1, ${rows}) n`,
  'set session_replication_role = origin',
  'vacuum analyze lead',
]

/** Inserts leads as a server of the version before, until it is stopped. Returns how long each took, in milliseconds. */
async function writeLeads(client: pg.Client, isOver: () => boolean): Promise<readonly number[]> {
  const took: number[] = []
  while (!isOver()) {
    const start = performance.now()
    await client.query(
      `insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, created_at, updated_at)
        values (1, 1, '+14155550100', '{}', 'created', 0, 0, 1, 1)`,
    )
    took.push(performance.now() - start)
    await sleep(2)
  }
  return took
}

/** Measures the upgrade of a PostgreSQL database with many leads to keys that begin with the account, under writes. */
export async function upgrade(rows: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  const name = `upgrade_${randomBytes(4).toString('hex')}`
  await order(postgres.url, `create database ${name}`)
  const url = databaseUrl(postgres.url, name)
  const [database, writer] = [await openPostgres(url), new pg.Client({ connectionString: url })]
  try {
    await migrate(database, { steps: migrations.slice(0, accountKeys.version - 1) })
    await writer.connect()
    say(`Creating ${rows} leads ...`)
    for (const statement of fill(rows)) await writer.query(statement)
    say('Upgrading ...')
    let isOver = false
    const writing = writeLeads(writer, () => isOver)
    const start = performance.now()
    await migrate(database, { steps: migrations.slice(0, accountKeys.version) })
    const seconds = (performance.now() - start) / 1000
    isOver = true
    const took = await writing
    return [
      { section, what: `Keys of accounts, ${rows} leads`, value: seconds, unit: 's' },
      { section, what: '  insert of a lead meanwhile, median', value: quantile(took, 0.5), unit: 'ms' },
      { section, what: '  insert of a lead meanwhile, 99 %', value: quantile(took, 0.99), unit: 'ms' },
      {
        section,
        what: '  insert of a lead meanwhile, longest',
        value: Math.max(...took),
        unit: 'ms',
        budget: { at: 1000, is: 'max' },
      },
    ]
  } finally {
    await Promise.all([database.close(), writer.end()])
    await postgres.stop()
  }
}
