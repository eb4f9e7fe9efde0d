import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { makeHome } from '../../bench/processes.ts'
import { startWithStandby } from '../../support/servers/postgres-standby.ts'
import { howToGet } from '../../support/servers/system-programs.ts'
import { read } from '../../support/sources.ts'
import { cause } from './chaos.ts'
import { checkRecords, type Findings } from './check-records.ts'
import { checkLeases, checkOverApi, waitUntilDone } from './check-servers.ts'
import { type ClusterServer, controlToken, createClusterServer } from './cluster-servers.ts'
import { startEffectReceiver } from './effect-receiver.ts'
import { LoadClient } from './load-client.ts'
import { createRecords } from './load-records.ts'
import { startLoad } from './mixed-load.ts'
import { prepareAccounts } from './prepare-accounts.ts'
import { createRandom } from './seeded-random.ts'
import { createServersDatabase, type Service, startHaproxy, startPgBouncer } from './system-services.ts'
import { createTakeovers } from './takeover-probe.ts'

/** Milliseconds until all work is done after the last trouble. */
const settleMs = 180_000
/** Milliseconds by which the clock of the last server is ahead. */
const skewMs = 60_000
/** Longest time until other servers continue the work of one that is gone, in milliseconds. */
const takeoverLimits = { kill: 5000, cut: 10_000 }

export interface ClusterSoakOptions {
  readonly minutes: number
  readonly seed: number
  readonly say: (text: string) => void
}

/**
 * Three servers over one PostgreSQL database work for some minutes while they, their connections and the database fail.
 * Prints a table. Returns whether everything that was acknowledged is there, once, and all work is done.
 */
export async function clusterSoak({ minutes, seed, say }: ClusterSoakOptions): Promise<boolean> {
  say(`Cluster: 3 servers, ${minutes} minutes, seed ${seed}`)
  const random = createRandom(seed)
  const home = makeHome()
  const postgres = await startWithStandby({ isDurable: true })
  const database = await createServersDatabase(postgres.url)
  const pooler = await startPgBouncer(database)
  say(`  Node ${process.versions.node} (the image: ${imageNode()}), PgBouncer and HAProxy with the files of deploy/`)
  if (Number.parseInt(process.versions.node, 10) !== imageNode()) say(notCovered.node)
  if (!pooler) say(notCovered.pooler)
  const receiver = await startEffectReceiver()
  const client = new LoadClient()
  const ended: string[] = []
  const servers: ClusterServer[] = []
  let balancer: Service | undefined
  const store = await openStore({ url: database })
  try {
    for (const [n, name] of ['server 1', 'server 2', 'server 3'].entries()) {
      const options = {
        folder: home.folder,
        database: pooler?.url ?? database,
        env: home.env,
        onWrong: (text: string) => ended.push(text),
      }
      const server = await createClusterServer({
        ...options,
        name,
        skewMs: n === 2 ? skewMs : 0,
        secretsOf: servers[0]?.dataDir,
      })
      servers.push(server)
      await server.start()
    }
    const [first] = servers as [ClusterServer]
    balancer = await startHaproxy(servers)
    if (!balancer) say(notCovered.balancer)
    const accounts = await prepareAccounts(first.url, controlToken(first.dataDir), receiver.url, 4)
    const numbers = await numbersForSale(client, first, accounts[0]?.token ?? '')
    const records = createRecords()
    const takeovers = createTakeovers(client, receiver, accounts[0] as (typeof accounts)[0])
    const load = startLoad({
      servers,
      balancer: balancer?.url,
      accounts,
      numbers,
      client,
      records,
      random,
      clients: 24,
      pauseMs: 150,
    })
    const until = performance.now() + minutes * 60_000
    const troubles = await cause({ servers, postgres, database, random, takeovers, until, say })
    say('  end of trouble')
    const counts = await load.stop()
    const left = await waitUntilDone(
      store,
      accounts.map((it) => it.id),
      settleMs,
    )
    const findings: Findings = {
      'no server ended by itself': ended,
      'no response was 500': client.unexpected,
      'all work is done': left,
      'no lease of a server that ended': await checkLeases(store.read, servers),
      'every server reads what was acknowledged': await checkOverApi(servers, client, accounts, records),
      ...(await checkRecords(store.read, records, receiver)),
      ...takeoverFindings(takeovers),
    }
    for (const server of servers) await server.stop()
    say(table('trouble', troubles))
    say(table('work', counts))
    say(table('responses by status (0: none)', new Map([...client.statuses].sort(([a], [b]) => a - b))))
    say(table('lost COMMITs', new Map(servers.map((it) => [it.name, it.proxy.lostCommits]))))
    for (const [loss, times] of Object.entries(takeovers.measured))
      say(
        `  takeover after a ${loss}: ${times.map((it) => `${(it / 1000).toFixed(1)} s`).join(', ') || 'not measured'}`,
      )
    return print(findings, servers, say)
  } finally {
    for (const server of servers) {
      server.resume()
      await server.kill()
      server.proxy.close()
    }
    client.close()
    receiver.close()
    balancer?.stop()
    pooler?.stop()
    await store.close()
    await postgres.stop()
    home.remove()
  }
}

function takeoverFindings({ measured, failed }: ReturnType<typeof createTakeovers>): Findings {
  const late = (loss: 'kill' | 'cut'): string[] =>
    measured[loss].filter((it) => it > takeoverLimits[loss]).map((it) => `${(it / 1000).toFixed(1)} s`)
  return {
    'work of lost servers is continued': [...failed],
    [`takeover after a kill <= ${takeoverLimits.kill / 1000} s`]: late('kill'),
    [`takeover after a cut <= ${takeoverLimits.cut / 1000} s`]: late('cut'),
  }
}

async function numbersForSale(client: LoadClient, { url }: ClusterServer, token: string): Promise<string[]> {
  const found = new Set<string>()
  for (const country of ['US', 'CA', 'GB', 'AU', 'NL', 'DK'])
    for (let digit = 0; digit < 10; digit++) {
      const path = `/api/user/phone-numbers/search?country_code=${country}&contains=${digit}`
      const answer = await client.send(url, { method: 'GET', path, token })
      for (const number of answer?.body?.data ?? []) found.add(number.phone_number)
    }
  return [...found]
}

const table = (title: string, rows: ReadonlyMap<string | number, number>): string =>
  [`  ${title}`, ...[...rows].map(([name, n]) => `    ${String(n).padStart(7)}  ${name}`)].join('\n')

function print(findings: Findings, servers: readonly ClusterServer[], say: (text: string) => void): boolean {
  const isWell = Object.values(findings).every((it) => it.length === 0)
  for (const [what, wrong] of Object.entries(findings)) {
    say(`  ${wrong.length === 0 ? 'ok  ' : 'MISS'} ${what}${wrong.length === 0 ? '' : `: ${wrong.length}`}`)
    for (const problem of wrong.slice(0, 10)) say(`         ${problem}`)
  }
  if (!isWell) for (const server of servers) say(`--- log of ${server.name}\n${server.log.slice(-6000)}`)
  return isWell
}

/** Major version of Node in the Dockerfile. */
const imageNode = (): number => Number(/^FROM node:(\d+)/m.exec(read('Dockerfile'))?.[1])

const notCovered = {
  balancer: `  NOT COVERED: HAProxy is not installed. The load chooses a server for each request itself. ${howToGet(['haproxy'])}`,
  pooler: `  NOT COVERED: PgBouncer is not installed. Servers connect to PostgreSQL directly. ${howToGet(['pgbouncer'])}`,
  node: '  NOT COVERED: the version of Node of the image. Run it there: npm exec --package node@<version> -- npm run soak -- cluster',
} as const
