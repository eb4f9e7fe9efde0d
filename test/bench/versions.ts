import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'
import { connections, inOwnProcess, onTheWire, type Sent } from './alternating-rounds.ts'
import { type DatabaseCpu, databaseCpu } from './cluster/database-cpu.ts'
import { prepareRequests } from './cluster/prepare-requests.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { freePort, type Home, makeHome, program, type Running, startServer, timed } from './processes.ts'

const section = 'versions'

/** Requests of one turn: about a third of a second of each, so that both versions have the same state of the machine. */
const inOneTurn: Readonly<Record<string, number>> = {
  'GET one tool': 3000,
  'GET a page of leads': 600,
  'GET numbers for sale': 1500,
  'PUT one tool': 800,
  'POST lead, one account': 600,
  'POST lead, 16 accounts': 600,
  'webhook, 4 steps': 600,
}
/** Turns of a started pair of servers that are not measured, because V8 compiles the code of a request in steps. */
const warmUpTurns = 6
/** Measured turns of a started pair of servers. */
const turnsOfStart = 4

/** Maximum ratios to the earlier version. */
const maximum = { median: 1.05, p99: 1.15 }

interface Version {
  readonly server: Running
  readonly requests: Readonly<Record<string, Sent | readonly Sent[]>>
}

/** What a request of a turn used and took. */
interface Turn {
  readonly cpuUs: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly databaseUs: number
}

/** Turns of each kind of request in all starts, of the earlier version and of this one. */
type Turns = Map<string, readonly [before: Turn[], now: Turn[]]>

/**
 * Compares this build with an earlier one, request by request: bursts of the same requests to a server of each, in turns
 * that change their order, over SQLite and over two databases of one PostgreSQL. Says the CPU time, the median and the 99th
 * percentile of the answers as a ratio to the earlier version. Each round starts new servers and databases, because a
 * process keeps for its life what V8 optimised in its first seconds: ratios of two starts of the same builds differ more
 * than those of two turns of one start.
 * @param before folder of the earlier version, with its build
 */
export async function versions(
  rounds: number,
  before: string | undefined,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  if (before === undefined) {
    say('  Skipped: --before <folder> names no other version.')
    return []
  }
  const earlier = join(resolve(before), 'bin/parley.js')
  if (!existsSync(earlier)) throw new Error(`--before: ${earlier} does not exist.`)
  const programs = [earlier, program] as const
  const figures: Figure[] = []
  for (const [database, compareOnce] of [
    ['SQLite', overSqlite],
    ['PostgreSQL', overPostgres],
  ] as const) {
    const found: Turns = new Map(Object.keys(inOneTurn).map((what) => [what, [[], []]]))
    for (let round = 0; round < rounds; round++) {
      await compareOnce(programs, round, found)
      say(`  ${database}, start ${round + 1} of ${rounds}, medians now / before: ${lastStart(found)}`)
    }
    for (const [what, turns] of found)
      figures.push(...figuresOf(`${what}, ${database}`, turns, database === 'PostgreSQL'))
  }
  return figures
}

async function overSqlite(programs: readonly [string, string], round: number, found: Turns): Promise<void> {
  await withServers(programs, round, [undefined, undefined], (sides) => compare(sides, undefined, found))
}

async function overPostgres(programs: readonly [string, string], round: number, found: Turns): Promise<void> {
  const postgres = await startPostgres({ isDurable: true })
  const client = new pg.Client({ connectionString: postgres.url, application_name: 'bench' })
  try {
    await client.connect()
    const names = ['version_before', 'version_now'] as const
    for (const name of names) await order(postgres.url, `create database ${name}`)
    const cpu = await databaseCpu(client)
    const [earlier, now] = names.map((name) => databaseUrl(postgres.url, name))
    await withServers(programs, round, [earlier, now], (sides) => compare(sides, cpu, found))
  } finally {
    await client.end()
    await postgres.stop()
  }
}

/** Starts a server of each version, in an order that changes from round to round, and stops both after `use`. */
async function withServers(
  programs: readonly [string, string],
  round: number,
  databases: readonly [string | undefined, string | undefined],
  use: (sides: readonly [Version, Version]) => Promise<void>,
): Promise<void> {
  const homes = programs.map(() => makeHome())
  const started: Running[] = []
  try {
    const start = (n: 0 | 1): Promise<Version> => serve(programs[n], homes[n] as Home, databases[n], started)
    if (round % 2 === 0) await use([await start(0), await start(1)])
    else {
      const now = await start(1)
      await use([await start(0), now])
    }
  } finally {
    for (const server of started) await server.stop()
    for (const home of homes) home.remove()
  }
}

/** Starts a server of a version with the data of the load. */
async function serve(file: string, home: Home, url: string | undefined, started: Running[]): Promise<Version> {
  const env = { ...home.env, ...(url !== undefined && { PARLEY_DATABASE: url }) }
  if (url === undefined) await timed([file, 'keys', 'list'], env)
  const port = await freePort()
  const args = [file, 'server', 'start', '--port', String(port), ...(url === undefined ? [] : ['--database', url])]
  const server = await startServer(args, { env, folder: home.folder, port, path: '/readyz', headers: {} })
  started.push(server)
  const { tool, leads, numbers, oneAccount, allAccounts, webhook } = await prepareRequests(port, env, file)
  const change = { ...tool, what: 'PUT one tool', method: 'PUT', body: '{"description":"Looks up an order."}' }
  const requests = {
    'GET one tool': tool,
    'GET a page of leads': leads,
    'GET numbers for sale': numbers,
    'PUT one tool': change,
    'POST lead, one account': oneAccount,
    'POST lead, 16 accounts': allAccounts,
    'webhook, 4 steps': webhook,
  }
  return { server, requests }
}

async function compare(sides: readonly [Version, Version], cpu: DatabaseCpu | undefined, found: Turns): Promise<void> {
  for (const [what, count] of Object.entries(inOneTurn))
    for (let turn = -warmUpTurns; turn < turnsOfStart; turn++)
      for (const n of turn % 2 === 0 ? [0, 1] : [1, 0]) {
        const { server, requests } = sides[n] as Version
        const done = await turnOf(server, requests[what] as Sent | readonly Sent[], count, cpu)
        if (turn >= 0) found.get(what)?.[n]?.push(done)
      }
}

function figuresOf(what: string, [before, now]: readonly [Turn[], Turn[]], hasDatabaseCpu: boolean): Figure[] {
  const row = (of: string, name: keyof Turn, unit: 'us' | 'ms', at?: number): Figure[] => [
    {
      section,
      what: `${of}, now / before`,
      ...ofStarts(valuesOf(now, name), valuesOf(before, name)),
      ...(at !== undefined && { budget: limit(at) }),
    },
    { section, what: '  now', value: median(valuesOf(now, name)), unit },
  ]
  return [
    ...row(`${what}: CPU time`, 'cpuUs', 'us'),
    ...(hasDatabaseCpu ? row('  CPU time of PostgreSQL', 'databaseUs', 'us', maximum.median) : []),
    ...row('  median', 'medianMs', 'ms', maximum.median),
    ...row('  99th percentile', 'p99Ms', 'ms', maximum.p99),
  ]
}

const valuesOf = (turns: readonly Turn[], name: keyof Turn): readonly number[] => turns.map((it) => it[name])

/** Returns the ratios of the medians of the last start, one for each kind of request. */
const lastStart = (found: Turns): string =>
  [...found.values()]
    .map(([before, now]) => startsOf(valuesOf(now, 'medianMs'), valuesOf(before, 'medianMs')).at(-1)?.toFixed(2))
    .join(' ')

/** Returns the ratio of each start, which is the median of the ratios of its turns. */
function startsOf(now: readonly number[], before: readonly number[]): readonly number[] {
  const turns = now.map((it, n) => it / (before[n] ?? Number.NaN))
  return Array.from({ length: turns.length / turnsOfStart }, (_, start) =>
    median(turns.slice(start * turnsOfStart, (start + 1) * turnsOfStart)),
  )
}

/** Returns the median and the middle half of the ratios of all starts. */
function ofStarts(now: readonly number[], before: readonly number[]): Pick<Figure, 'value' | 'unit' | 'spread'> {
  const starts = startsOf(now, before)
  return { value: median(starts), unit: 'x', spread: [quantile(starts, 0.25), quantile(starts, 0.75)] }
}

/** Sends one burst and returns what a request of it used. */
async function turnOf(
  server: Running,
  sent: Sent | readonly Sent[],
  count: number,
  cpu: DatabaseCpu | undefined,
): Promise<Turn> {
  const [usage, databaseBefore] = [await server.usage(), cpu?.() ?? 0]
  const request = [sent].flat().map(onTheWire)
  const done = await inOwnProcess({ port: server.port, connections, ms: 60_000, limit: count, request })
  const [after, databaseAfter] = [await server.usage(), cpu?.() ?? 0]
  if (done.bad > 0 || done.requests < count)
    throw new Error(`${[sent].flat()[0]?.what}: ${done.bad} of ${done.requests} answers were not 200`)
  return {
    cpuUs: ((after.cpuMs - usage.cpuMs) * 1000) / count,
    databaseUs: ((databaseAfter - databaseBefore) * 1000) / count,
    medianMs: done.medianMs,
    p99Ms: done.p99Ms,
  }
}
