import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { measure, type Sent, type Subject } from '../alternating-rounds.ts'
import { type Figure, least, limit, median, quantile } from '../measurements.ts'
import { freePort, makeHome, program, type Running, startServer } from '../processes.ts'
import { type DatabaseCpu, databaseCpu } from './database-cpu.ts'
import { importAndSearch } from './import-and-search.ts'
import { prepareRequests } from './prepare-requests.ts'
import { severalServers } from './several-servers.ts'
import { createSketchTables, type Sketch } from './sketch-server.ts'

const section = 'cluster'

/** What the first version measured, before transactions took locks of accounts: requests a second, statements. */
const earlier: Readonly<Record<string, readonly [perSecond: number, statements: number]>> = {
  'GET one tool': [2180, 3],
  'GET a page of leads': [747, 5],
  'GET numbers for sale': [1299, 4],
  'POST lead, one account': [202, 22],
  'webhook, 4 steps, response': [229, 29],
}

/** Maximum statements of a request. */
const maxStatements: Readonly<Record<string, number>> = {
  'GET one tool': 1,
  'POST lead, one account': 4,
  'POST lead, 16 accounts': 4,
  'webhook, 4 steps, response': 8,
}

/** Statements that PostgreSQL ran, and transactions it rolled back. */
interface DatabaseWork {
  readonly statements: number
  readonly rolledBack: number
}

interface Measured {
  readonly perSecond: number[]
  readonly cpuUs: number[]
  /** Statements of a request, without `begin` and `commit`. */
  readonly statements: number[]
  /** Rolled back transactions of a request. */
  readonly rolledBack: number[]
  /** CPU time of the database for a request; empty where it is unknown. */
  readonly databaseUs: number[]
}

/**
 * Measures servers over one PostgreSQL database against sketches: bare servers that run the statements which the work
 * needs at least. All of them run in turns on the same machine, with the load and the database.
 */
export async function cluster(
  rounds: number,
  roundMs: number,
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const home = makeHome()
  const postgres = await startPostgres({ isDurable: true })
  const started: Running[] = []
  const client = new pg.Client({ connectionString: postgres.url, application_name: 'bench' })
  try {
    await client.connect()
    const cpu = await databaseCpu(client)
    const url = await createDatabase(postgres.url)
    const serve = async (folder: string): Promise<Running> => {
      const port = await freePort()
      // All servers of a database have the encryption key of the first one.
      const keyFile = join(home.folder, 'data', 'secret.key')
      const env = {
        ...home.env,
        PARLEY_DATA_DIR: join(home.folder, folder),
        PARLEY_DATABASE: url,
        ...(existsSync(keyFile) && { PARLEY_SECRET_KEY: readFileSync(keyFile, 'utf8').trim() }),
      }
      const args = [program, 'server', 'start', '--port', String(port), '--database', url]
      const server = await startServer(args, { env, folder: home.folder, port, path: '/readyz', headers: {} })
      started.push(server)
      return server
    }
    const sketch = async (kind: Sketch['kind']): Promise<Running> => {
      const port = await freePort()
      const args = [process.argv[1] ?? '', '--sketch', JSON.stringify({ port, url, kind })]
      const server = await startServer(args, { env: home.env, folder: home.folder, port, path: '/', headers: {} })
      started.push(server)
      return server
    }
    await createSketchTables(url)
    const first = await serve('data')
    const env = { ...home.env, PARLEY_DATA_DIR: join(home.folder, 'data'), PARLEY_DATABASE: url }
    const work = await prepareRequests(first.port, env)
    const [reads, writes] = [await sketch('one-query'), await sketch('four-statements')]
    const floors = [0, 1].map((n) => accountRequests('a sketch', n === 0 ? 1 : 16))
    const subjects: Record<string, Subject> = {
      'one query, sketch': { server: reads, sent: { what: 'one query', method: 'GET', path: '/', headers: {} } },
      'four statements, one account, sketch': { server: writes, sent: floors[0] as readonly Sent[] },
      'four statements, 16 accounts, sketch': { server: writes, sent: floors[1] as readonly Sent[] },
      'GET one tool': { server: first, sent: work.tool },
      'GET a page of leads': { server: first, sent: work.leads },
      'GET numbers for sale': { server: first, sent: work.numbers },
      'POST lead, one account': { server: first, sent: work.oneAccount },
      'POST lead, 16 accounts': { server: first, sent: work.allAccounts },
      'webhook, 4 steps, response': { server: first, sent: work.webhook },
    }
    const idle = await idleCpu([first], cpu, Math.max(5000, roundMs * 2))
    const measured = await inTurnsWithDatabase(subjects, url, { cpu, rounds, roundMs })
    const figures = Object.entries(measured).flatMap(([what, measurement]) => figuresOf(what, measurement))
    const rate = (what: string): number => median(measured[what]?.perSecond ?? [])
    const versus = (what: string, floor: string, at: number): Figure => ({
      section,
      what: `${what} / sketch`,
      value: rate(what) / rate(floor),
      unit: 'x',
      budget: least(at),
    })
    figures.push(
      ...idle,
      {
        section,
        what: 'webhook, 4 steps, response',
        value: rate('webhook, 4 steps, response'),
        unit: '/s',
        budget: least(800),
      },
      versus('GET one tool', 'one query, sketch', 0.8),
      versus('POST lead, one account', 'four statements, one account, sketch', 0.7),
      versus('POST lead, 16 accounts', 'four statements, 16 accounts, sketch', 0.7),
    )
    const ours = {
      what: 'POST lead',
      servers: [first, await serve('second'), await serve('third')],
      sent: work.allAccounts,
      // pg_stat_statements counts a COMMIT that is prepared only once, so the row right before it is counted.
      commit: 'insert into commit_marker',
    }
    const sketches = {
      what: 'sketch',
      servers: [writes, await sketch('four-statements'), await sketch('four-statements')],
      sent: floors[1] as readonly Sent[],
      commit: 'commit',
    }
    const inDatabase = new pg.Client({ connectionString: url, application_name: 'bench' })
    await inDatabase.connect()
    const countCommits = (commit: string) => callsOf(inDatabase, commit)
    figures.push(...(await severalServers(ours, sketches, { rounds, roundMs, countCommits, say })))
    figures.push(...(await idleCpu(ours.servers, cpu, Math.max(5000, roundMs * 2))))
    await inDatabase.end()
    if (rows > 0) figures.push(...(await importAndSearch({ home, server: postgres.url, cpu, rows })))
    say('  Takeover of the work of a lost server: npm run soak -- cluster')
    return figures
  } finally {
    for (const server of started) await server.stop()
    await client.end()
    await postgres.stop()
    home.remove()
  }
}

async function createDatabase(server: string): Promise<string> {
  await order(server, 'create database parley_bench')
  const url = databaseUrl(server, 'parley_bench')
  await order(url, 'create extension pg_stat_statements')
  return url
}

/** Measures the CPU time of servers without requests, all together, and of the database for them, in a second. */
async function idleCpu(servers: readonly Running[], cpu: DatabaseCpu, ms: number): Promise<Figure[]> {
  const usedMs = async (): Promise<number> =>
    (await Promise.all(servers.map((it) => it.usage()))).reduce((sum, it) => sum + it.cpuMs, 0)
  const [before, databaseBefore] = [await usedMs(), cpu()]
  await sleep(ms)
  const [after, databaseAfter] = [await usedMs(), cpu()]
  const figure = (what: string, used: number): Figure => ({ section, what, value: (used / ms) * 1000, unit: 'ms' })
  const subject = servers.length === 1 ? 'server' : `${servers.length} servers`
  return [
    figure(`CPU time of a second without requests, ${subject}`, after - before),
    ...(databaseBefore === undefined || databaseAfter === undefined
      ? []
      : [figure('CPU time of that second, PostgreSQL', databaseAfter - databaseBefore)]),
  ]
}

async function inTurnsWithDatabase(
  subjects: Readonly<Record<string, Subject>>,
  url: string,
  { cpu, rounds, roundMs }: { readonly cpu: DatabaseCpu; readonly rounds: number; readonly roundMs: number },
): Promise<Record<string, Measured>> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench' })
  await client.connect()
  const found: Record<string, Measured> = {}
  for (let round = -1; round < rounds; round++)
    for (const [what, subject] of Object.entries(subjects)) {
      const before = await databaseWork(client)
      const cpuBefore = cpu()
      const { perSecond, cpuUs, requests } = await measure(subject, roundMs)
      const cpuAfter = cpu()
      const after = await databaseWork(client)
      if (round < 0) continue
      const figures = (found[what] ??= { perSecond: [], cpuUs: [], statements: [], rolledBack: [], databaseUs: [] })
      if (cpuBefore !== undefined && cpuAfter !== undefined)
        figures.databaseUs.push(((cpuAfter - cpuBefore) * 1000) / requests)
      figures.perSecond.push(perSecond)
      figures.cpuUs.push(cpuUs)
      figures.statements.push((after.statements - before.statements) / requests)
      figures.rolledBack.push((after.rolledBack - before.rolledBack) / requests)
    }
  await client.end()
  return found
}

/** Counts statements, without those that begin, divide and end transactions. */
async function databaseWork(client: pg.Client): Promise<DatabaseWork> {
  const { rows } = await client.query(`
    select coalesce(sum(calls) filter (where query !~* '^(begin|commit|rollback|savepoint|release|set) ?'), 0)::float8 as statements,
      coalesce(sum(calls) filter (where query ~* '^rollback'), 0)::float8 as "rolledBack"
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`)
  return rows[0] as DatabaseWork
}

/** Counts how often a database ran statements that start with a text. */
async function callsOf(client: pg.Client, start: string): Promise<number> {
  const { rows } = await client.query(
    `select coalesce(sum(calls), 0)::float8 as n from pg_stat_statements
    where starts_with(lower(query), $1) and dbid = (select oid from pg_database where datname = current_database())`,
    [start],
  )
  return (rows[0] as { n: number }).n
}

function figuresOf(what: string, { perSecond, cpuUs, statements, rolledBack, databaseUs }: Measured): Figure[] {
  const spread: [number, number] = [quantile(perSecond, 0.25), quantile(perSecond, 0.75)]
  const [before, statementsBefore] = earlier[what] ?? []
  const maximum = maxStatements[what]
  return [
    { section, what, value: median(perSecond), unit: '/s', spread, before },
    { section, what: '  CPU time of a request, server', value: median(cpuUs), unit: 'us' },
    ...(databaseUs.length > 0
      ? [{ section, what: '  CPU time of a request, PostgreSQL', value: median(databaseUs), unit: 'us' as const }]
      : []),
    {
      section,
      what: '  statements of a request',
      value: median(statements),
      unit: 'x',
      before: statementsBefore,
      ...(maximum !== undefined && { budget: limit(maximum) }),
    },
    ...(median(rolledBack) > 0
      ? [{ section, what: '  rolled back', value: median(rolledBack), unit: 'x' as const, budget: limit(0.01) }]
      : []),
  ]
}

const accountRequests = (what: string, accounts: number): Sent[] =>
  Array.from({ length: accounts }, (_, n) => ({
    what,
    method: 'POST',
    path: '/',
    headers: { 'x-account': String(n) },
    body: '{}',
  }))
