import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createClock } from '../../../src/platform/jobs/clock.ts'
import { createJobLoop, scheduleJob, unscheduleJob } from '../../../src/platform/jobs/job-loop.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { claimJobs } from '../../../src/platform/store/runtime/due-jobs.ts'
import { startPostgres } from '../../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { type Figure, limit, median, quantile } from '../measurements.ts'

const section = 'claims'
const maxLocked = 640
/** Jobs before the first measured one: the sessions listen then. */
const warmUps = 5

/** What waits in the database: a name, the accounts, their due jobs, and the highest milliseconds of a claim. */
const backlogs = [
  { name: '1 000 accounts with due jobs', accounts: 1000, due: 'generate_series(1, 20)', maxMs: 30 },
  { name: '10 000 accounts with due jobs', accounts: 10_000, due: 'generate_series(1, 5)', maxMs: 60 },
  { name: '100 000 accounts with due jobs', accounts: 100_000, due: 'generate_series(1, 2)', maxMs: 60 },
  {
    name: '100 000 accounts, all due jobs in one of them',
    accounts: 100_000,
    due: 'generate_series(1, case when a.id = 50000 then 200000 else 0 end)',
    maxMs: 60,
  },
] as const

/** Jobs that are not due yet, one of each account. */
const later = `insert into due (account_id, kind, subject, due_at, attempts, lease_until)
  select id, 'later', id::text, 4000000000000000, 0, 0 from account`

/**
 * Measures how long a server that finds a backlog needs for a claim of jobs, and how many rows it locks. Every claim
 * leaves its jobs leased, as a server does while they run, and the next one begins after it.
 */
export async function claims(rounds: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  const figures: Figure[] = []
  try {
    for (const backlog of backlogs) {
      say(backlog.name)
      figures.push(...(await measureBacklog(postgres.url, backlog, rounds)))
    }
    for (const isPooled of [false, true]) figures.push(await measurePickUp(postgres.url, isPooled, rounds))
  } finally {
    await postgres.stop()
  }
  return figures
}

/** Measures how long a server needs to start a job that another one has scheduled; behind a pooler, sessions cannot listen. */
async function measurePickUp(server: string, isPooled: boolean, rounds: number): Promise<Figure> {
  const database = `claims_${randomBytes(4).toString('hex')}`
  await order(server, `create database ${database}`)
  const url = databaseUrl(server, database)
  const [other, own] = [await openStore({ url }), await openStore({ url, options: { isPooled } })]
  let onStarted = (): void => {}
  const loop = createJobLoop({
    connection: own,
    clock: createClock(own, Date.now),
    wall: Date.now,
    owner: 'bench:1:a',
    isAlive: () => true,
    log: () => {},
    handlers: async (connection) => ({
      async test(row) {
        onStarted()
        await connection.write({ account: row.account_id }, (query) => unscheduleJob(query, row.kind, row.subject))
      },
    }),
  }).start()
  const took: number[] = []
  try {
    await order(
      url,
      `insert into account (id, name, email, kind, balance, minute_rate, created_at) values (1, 'A', 'a@example.com', 'tenant', 1, 0, 1)`,
    )
    other.exchangeJobHints?.()
    for (let n = 0; n < rounds + warmUps; n++) {
      const started = new Promise<void>((resolve) => {
        onStarted = resolve
      })
      await other.write({ account: 1 }, (query) =>
        scheduleJob(query, { account: 1, kind: 'test', subject: String(n), at: 1 }),
      )
      const start = performance.now()
      await started
      if (n >= warmUps) took.push(performance.now() - start)
      // Not at the moment of the regular search.
      await sleep(100 + ((n * 37) % 300))
    }
  } finally {
    await loop.stop()
    await Promise.all([other.close(), own.close()])
    await order(server, `drop database ${database}`)
  }
  return {
    section,
    what: `a job of another server starts${isPooled ? ', behind a pooler' : ''}`,
    value: median(took),
    unit: 'ms',
    spread: [quantile(took, 0.25), quantile(took, 0.75)],
    budget: limit(isPooled ? 1000 : 20),
  }
}

async function measureBacklog(
  server: string,
  { name, accounts, due, maxMs }: (typeof backlogs)[number],
  rounds: number,
): Promise<Figure[]> {
  const database = `claims_${randomBytes(4).toString('hex')}`
  await order(server, `create database ${database}`)
  const url = databaseUrl(server, database)
  const connection = await openStore({ url })
  try {
    for (const text of [
      `insert into account (name, email, kind, balance, minute_rate, created_at)
        select 'A', 'a@example.com', 'tenant', 1, 0, 1 from generate_series(1, ${accounts})`,
      `insert into due (account_id, kind, subject, due_at, attempts, lease_until)
        select a.id, 'work', a.id || ' ' || n, n, 0, 0 from account a, ${due} n`,
      later,
      'vacuum analyze due',
    ])
      await order(url, text)
    const took: number[] = []
    let afterAccount = 0
    for (let n = 0; n < rounds; n++) {
      const start = performance.now()
      const claimed = await connection.write('rows', (query) =>
        claimJobs(query, {
          owner: 'bench',
          until: 1_000_000,
          wall: 1,
          leaseUntil: 30_000,
          mayTakeOver: true,
          limit: 320,
          perAccount: 20,
          excludedAccounts: [],
          afterAccount,
        }),
      )
      took.push(performance.now() - start)
      afterAccount = claimed.lastAccount
      if (claimed.rows.length === 0) throw new Error(`The claim ${n + 1} found no job.`)
    }
    const touched = await sql<{
      n: string
    }>`select count(*) as n from due where xmax <> 0 or lease_owner is not null`.execute(connection.read)
    return [
      {
        section,
        what: name,
        value: median(took),
        unit: 'ms',
        spread: [quantile(took, 0.25), quantile(took, 0.75)],
        budget: limit(maxMs),
      },
      {
        section,
        what: '  rows locked by a claim',
        value: Number(touched.rows[0]?.n) / rounds,
        unit: 'x',
        budget: limit(maxLocked),
      },
    ]
  } finally {
    await connection.close()
    await order(server, `drop database ${database}`)
  }
}
