import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createShardedDatabase, startCluster } from '../../support/servers/citus-cluster.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { measure, type Sent } from '../alternating-rounds.ts'
import { type Figure, limit, median, ratio } from '../measurements.ts'
import { freePort, makeHome, program, type Running, startServer } from '../processes.ts'
import { databaseCpu } from './database-cpu.ts'
import { prepareRequests } from './prepare-requests.ts'

const section = 'shards'

/** Shards of each table: what `server database distribute` makes without --shards. */
const shardCount = 32
/** Time for which the database is measured without requests: a server searches all shards once in it. */
const idleMs = 60_000
/** Requests that the statements of one are counted with. */
const counted = 100

/** Maximum CPU time of the database for a request, compared with one PostgreSQL. */
const maxRatios: Readonly<Record<string, number>> = { 'POST lead': 5, 'webhook, 4 steps': 8 }

interface Side {
  readonly server: Running
  readonly url: string
  readonly work: Readonly<Record<string, Sent | readonly Sent[]>>
}

interface Measured {
  readonly latencyMs: number[]
  readonly perSecond: number[]
  readonly databaseUs: number[]
  /** The part of the coordinator. */
  readonly coordinatorUs: number[]
}

/**
 * Measures a server over Citus against one over a database of the same coordinator whose tables are not spread: the same
 * program, the same PostgreSQL, in turns. It needs the engine that PARLEY_CITUS names.
 */
export async function shards(rounds: number, roundMs: number, say: (text: string) => void): Promise<readonly Figure[]> {
  if (!process.env.PARLEY_CITUS) {
    say('  Skipped: PARLEY_CITUS names no folder with the program `citus`.')
    return []
  }
  const home = makeHome()
  const cluster = await startCluster()
  const clients: pg.Client[] = []
  const started: Running[] = []
  try {
    await order(cluster.url, 'create database plain')
    const urls = {
      Citus: await createShardedDatabase(cluster, 'sharded', shardCount),
      PostgreSQL: databaseUrl(cluster.url, 'plain'),
    }
    const readers = await Promise.all(
      [cluster.url, ...cluster.workers].map(async (connectionString) => {
        const client = new pg.Client({ connectionString, application_name: 'bench' })
        await client.connect()
        clients.push(client)
        return databaseCpu(client)
      }),
    )
    const coordinatorCpu = (): number => readers[0]?.() ?? Number.NaN
    const cpu = (): number => readers.reduce((sum, read) => sum + (read() ?? Number.NaN), 0)
    /** Milliseconds of CPU time of the database in a second. */
    const usedIn = async (ms: number): Promise<number> => {
      const before = cpu()
      await sleep(ms)
      return ((cpu() - before) / ms) * 1000
    }
    let idle = Number.NaN
    const sides: Record<string, Side> = {}
    for (const [name, url] of Object.entries(urls)) {
      const port = await freePort()
      const env = { ...home.env, PARLEY_DATA_DIR: join(home.folder, name), PARLEY_DATABASE: url }
      const args = [program, 'server', 'start', '--port', String(port), '--database', url]
      const server = await startServer(args, { env, folder: home.folder, port, path: '/readyz', headers: {} })
      started.push(server)
      const { tool, oneAccount, webhook } = await prepareRequests(port, env)
      sides[name] = {
        server,
        url,
        work: { 'GET one tool': tool, 'POST lead': oneAccount, 'webhook, 4 steps': webhook },
      }
      if (name !== 'Citus') continue
      // PostgreSQL vacuums the new tables and their first rows in this time.
      await sleep(idleMs)
      idle = await usedIn(idleMs)
    }
    const [coordinator] = await order(cluster.url, 'show data_directory')
    const log = join(String(coordinator?.data_directory), 'server.log')
    const figures: Figure[] = []
    for (const what of Object.keys(sides.PostgreSQL?.work ?? {}))
      for (const connections of [1, 8]) {
        const found: Record<string, Measured> = {}
        for (let round = -1; round < rounds; round++)
          for (const [name, { server, work }] of Object.entries(sides)) {
            const [before, coordinatorBefore] = [cpu(), coordinatorCpu()]
            const done = await measure({ server, sent: work[what] as Sent }, roundMs, connections)
            const [used, usedByCoordinator] = [cpu() - before, coordinatorCpu() - coordinatorBefore]
            if (round < 0) continue
            const measured = (found[name] ??= { latencyMs: [], perSecond: [], databaseUs: [], coordinatorUs: [] })
            measured.latencyMs.push((connections / done.perSecond) * 1000)
            measured.perSecond.push(done.perSecond)
            measured.databaseUs.push((used * 1000) / done.requests)
            measured.coordinatorUs.push((usedByCoordinator * 1000) / done.requests)
          }
        const [plain, sharded] = [found.PostgreSQL as Measured, found.Citus as Measured]
        const name = `${what}, ${connections} ${connections === 1 ? 'client' : 'clients'}`
        const maximum = maxRatios[what]
        figures.push({
          ...{ section, what: `${name}: CPU of the database, Citus / PostgreSQL` },
          ...ratio(sharded.databaseUs, plain.databaseUs),
          ...(maximum !== undefined && { budget: limit(maximum) }),
        })
        for (const [side, { latencyMs, perSecond, databaseUs, coordinatorUs }] of Object.entries(found))
          figures.push(
            { section, what: `  CPU of the database, ${side}`, value: median(databaseUs), unit: 'us' },
            ...(side === 'Citus'
              ? [{ section, what: '  of it the coordinator', value: median(coordinatorUs), unit: 'us' as const }]
              : []),
            { section, what: `  latency, ${side}`, value: median(latencyMs), unit: 'ms' },
            { section, what: `  requests a second, ${side}`, value: median(perSecond), unit: '/s' },
          )
      }
    for (const [side, { server, url, work }] of Object.entries(sides))
      for (const [what, sent] of Object.entries(work))
        figures.push({
          ...{ section, what: `${what}: statements at the coordinator, ${side}`, unit: 'x' },
          value: await statementsOf({ server, sent }, url, log),
        })
    figures.push({
      section,
      what: 'Space of a lead, with indexes',
      unit: 'bytes',
      value: await leadBytes(urls.PostgreSQL),
    })
    figures.push({
      section,
      what: 'CPU of the database with an idle server, a second, Citus',
      value: idle,
      unit: 'ms',
      budget: limit(10),
    })
    return figures
  } finally {
    await Promise.all(started.map((it) => it.stop()))
    await Promise.all(clients.map((it) => it.end()))
    await cluster.stop()
    home.remove()
  }
}

/** Returns the statements that one request sends to the coordinator, without those that begin and end transactions. */
async function statementsOf(
  { server, sent }: Pick<Side, 'server'> & { readonly sent: Sent | readonly Sent[] },
  url: string,
  log: string,
): Promise<number> {
  const name = new URL(url).pathname.slice(1)
  const configure = async (...statements: string[]): Promise<void> => {
    for (const statement of [...statements, 'select pg_reload_conf()']) await order(url, statement)
    // Sessions read their configuration before their next statement.
    await measure({ server, sent }, 10_000, 1, 10)
  }
  await configure("alter system set log_line_prefix = '%d '", "alter system set log_statement = 'all'")
  const start = readFileSync(log, 'utf8').length
  const { requests } = await measure({ server, sent }, 30_000, 1, counted)
  const lines = readFileSync(log, 'utf8').slice(start).split('\n')
  await configure('alter system reset log_statement')
  const statement = /(?:execute \w+|statement): (?!begin|commit|rollback|savepoint|release|set )/
  const own = lines.filter((it) => it.startsWith(`${name} LOG:  `) && statement.test(it))
  return own.length / requests
}

/** Returns the bytes that a lead takes with its indexes and counters. */
async function leadBytes(url: string): Promise<number> {
  const [row] = await order(
    url,
    `select (pg_total_relation_size('lead') + pg_total_relation_size('lead_contact') + pg_total_relation_size('lead_count'))::float8
      / (select count(*) from lead) as bytes`,
  )
  return Number(row?.bytes)
}
