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
/** Turns that are not measured, because V8 compiles the code of a request in steps. */
const warmUpTurns = 8

/** Maximum ratios to the earlier version. */
const maximum = { median: 1.05, p99: 1.15 }

interface Version {
  readonly server: Running
  readonly requests: Readonly<Record<string, Sent | readonly Sent[]>>
}

interface Turns {
  readonly cpuUs: number[]
  readonly medianMs: number[]
  readonly p99Ms: number[]
  readonly databaseUs: number[]
}

/**
 * Compares this build with an earlier one, request by request: bursts of the same requests to a server of each, in turns
 * that change their order, over SQLite and over two databases of one PostgreSQL. Says the CPU time, the median and the 99th
 * percentile of the answers as a ratio to the earlier version.
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
  const homes = programs.map(() => makeHome())
  const started: Running[] = []
  try {
    const sides = []
    for (const [n, home] of homes.entries()) sides.push(await serve(programs[n] as string, home, undefined, started))
    figures.push(...(await compare('SQLite', sides as [Version, Version], rounds, undefined)))
  } finally {
    for (const server of started) await server.stop()
    for (const home of homes) home.remove()
  }
  return [...figures, ...(await overPostgres(programs, rounds))]
}

async function overPostgres(programs: readonly [string, string], rounds: number): Promise<readonly Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  const client = new pg.Client({ connectionString: postgres.url, application_name: 'bench' })
  const homes = programs.map(() => makeHome())
  const started: Running[] = []
  try {
    await client.connect()
    const sides = []
    for (const [n, home] of homes.entries()) {
      await order(postgres.url, `create database version_${n}`)
      sides.push(await serve(programs[n] as string, home, databaseUrl(postgres.url, `version_${n}`), started))
    }
    return await compare('PostgreSQL', sides as [Version, Version], rounds, await databaseCpu(client))
  } finally {
    for (const server of started) await server.stop()
    await client.end()
    await postgres.stop()
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

async function compare(
  database: string,
  sides: readonly [Version, Version],
  rounds: number,
  cpu: DatabaseCpu | undefined,
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [what, count] of Object.entries(inOneTurn)) {
    const found = sides.map((): Turns => ({ cpuUs: [], medianMs: [], p99Ms: [], databaseUs: [] }))
    for (let round = -warmUpTurns; round < rounds; round++)
      for (const n of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const { server, requests } = sides[n] as Version
        const turn = await turnOf(server, requests[what] as Sent | readonly Sent[], count, cpu)
        if (round < 0) continue
        for (const [name, value] of Object.entries(turn)) found[n]?.[name as keyof Turns].push(value)
      }
    const [before, now] = found as [Turns, Turns]
    const row = (of: string, name: keyof Turns, unit: 'us' | 'ms', at: number): Figure[] => [
      { section, what: `  ${of}, now / before`, ...inPairs(now[name], before[name]), budget: limit(at) },
      { section, what: `  ${of}, now`, value: median(now[name]), unit },
    ]
    figures.push(
      { section, what: `${what}, ${database}: CPU time, now / before`, ...inPairs(now.cpuUs, before.cpuUs) },
      { section, what: '  CPU time, now', value: median(now.cpuUs), unit: 'us' },
      ...(cpu ? row('CPU time of PostgreSQL', 'databaseUs', 'us', maximum.median) : []),
      ...row('median', 'medianMs', 'ms', maximum.median),
      ...row('99th percentile', 'p99Ms', 'ms', maximum.p99),
    )
  }
  return figures
}

/** Returns the median and the middle half of the ratios of two turns that followed each other. */
function inPairs(now: readonly number[], before: readonly number[]): Pick<Figure, 'value' | 'unit' | 'spread'> {
  const ratios = now.map((it, n) => it / (before[n] ?? Number.NaN))
  return { value: median(ratios), unit: 'x', spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)] }
}

/** Sends one burst and returns what a request of it used. */
async function turnOf(
  server: Running,
  sent: Sent | readonly Sent[],
  count: number,
  cpu: DatabaseCpu | undefined,
): Promise<Record<keyof Turns, number>> {
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
