import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { makeHome } from '../../bench/processes.ts'
import { howToGet } from '../../support/servers/system-programs.ts'
import { read } from '../../support/sources.ts'
import { checkRecords, countOf, type Findings } from './check-records.ts'
import { checkLeases, checkOverApi, waitUntilDone } from './check-servers.ts'
import { type ClusterServer, controlToken, createClusterServer } from './cluster-servers.ts'
import { type EffectReceiver, startEffectReceiver } from './effect-receiver.ts'
import { LoadClient } from './load-client.ts'
import { countAcknowledged, createRecords } from './load-records.ts'
import { startLoad } from './mixed-load.ts'
import { type LoadAccount, prepareAccounts } from './prepare-accounts.ts'
import { createRandom, type SeededRandom } from './seeded-random.ts'
import { type Service, startHaproxy } from './system-services.ts'

/** Milliseconds until all work is done after the last trouble. */
const settleMs = 180_000

/** What works while something fails. */
export interface Stage {
  readonly servers: readonly ClusterServer[]
  /** URL to which clients send requests: of HAProxy, or of a server without it. */
  readonly url: string
  readonly accounts: readonly LoadAccount[]
  readonly client: LoadClient
  readonly receiver: EffectReceiver
  readonly random: SeededRandom
  readonly store: Connection
}

/** What a trouble has shown: numbers to print, and what was wrong. */
export interface Outcome {
  readonly tables: readonly string[]
  readonly findings: Findings
}

export interface UnderLoadOptions {
  readonly seed: number
  readonly say: (text: string) => void
  /** URL of the database for the checks, which read all rows. */
  readonly database: string
  /** URL of the database for the servers: that of a pooler. */
  readonly serversDatabase: string
  /** Number of accounts, of clients and milliseconds between two operations of a client, at most. */
  readonly accounts: number
  readonly clients: number
  readonly pauseMs: number
  /** Milliseconds by which the clock of the last server is ahead. */
  readonly skewMs?: number
  /** Causes trouble while the load works. */
  readonly trouble: (stage: Stage) => Promise<Outcome>
  /** Restores what the trouble has left, before the checks. Returns what was wrong. */
  readonly settle?: (stage: Stage) => Promise<Findings>
}

/**
 * Runs three servers behind HAProxy under mixed load while trouble is caused. Then compares everything that was acknowledged with the
 * rows, the ledger and what arrived outside, and prints it. Returns whether nothing is lost, doubled or otherwise wrong.
 */
export async function underLoad(options: UnderLoadOptions): Promise<boolean> {
  const { say } = options
  const random = createRandom(options.seed)
  const home = makeHome()
  const receiver = await startEffectReceiver()
  const client = new LoadClient()
  const ended: string[] = []
  const servers: ClusterServer[] = []
  let balancer: Service | undefined
  const store = await openStore({ url: options.database })
  say(`  Node ${process.versions.node} (the image: ${imageNode()}), and the files of deploy/`)
  if (Number.parseInt(process.versions.node, 10) !== imageNode()) say(otherNode)
  try {
    for (const [n, name] of ['server 1', 'server 2', 'server 3'].entries()) {
      const server = await createClusterServer({
        folder: home.folder,
        database: options.serversDatabase,
        env: home.env,
        onWrong: (text: string) => ended.push(text),
        name,
        skewMs: n === 2 ? (options.skewMs ?? 0) : 0,
        secretsOf: servers[0]?.dataDir,
      })
      servers.push(server)
      await server.start()
    }
    const [first] = servers as [ClusterServer]
    balancer = await startHaproxy(servers)
    if (!balancer) say(withoutBalancer)
    const accounts = await prepareAccounts(first.url, controlToken(first.dataDir), receiver.url, options.accounts)
    const numbers = await numbersForSale(client, first, accounts[0]?.token ?? '')
    const records = createRecords()
    const { clients, pauseMs } = options
    const load = startLoad({
      servers,
      balancer: balancer?.url,
      accounts,
      numbers,
      client,
      records,
      random,
      clients,
      pauseMs,
    })
    const stage = { servers, url: balancer?.url ?? first.url, accounts, client, receiver, random, store }
    const outcome = await options.trouble(stage)
    say('  end of trouble')
    const counts = await load.stop()
    const settled = (await options.settle?.(stage)) ?? {}
    const ids = accounts.map((it) => it.id)
    const left = await waitUntilDone(store, ids, settleMs)
    const findings: Findings = {
      'no server ended by itself': ended,
      'no response was 500': client.unexpected,
      'all work is done': left,
      'no lease of a server that ended': await checkLeases(store.read, servers),
      'every server reads what was acknowledged': await checkOverApi(servers, client, accounts, records),
      ...(await checkRecords(store.read, records, receiver)),
      ...settled,
      ...outcome.findings,
    }
    for (const server of servers) await server.stop()
    for (const text of outcome.tables) say(text)
    say(table('work', counts))
    say(table('responses by status (0: none)', new Map([...client.statuses].sort(([a], [b]) => a - b))))
    say(
      `  acknowledged ${countAcknowledged(records)}, lost ${countOf(findings, 'lost')}, doubled ${countOf(findings, 'doubled')} (seed ${options.seed})`,
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
    await store.close()
    home.remove()
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

/** Returns numbers with their names, one a line. */
export const table = (title: string, rows: ReadonlyMap<string | number, number>): string =>
  [`  ${title}`, ...[...rows].map(([name, n]) => `    ${String(n).padStart(7)}  ${name}`)].join('\n')

function print(findings: Findings, servers: readonly ClusterServer[], say: (text: string) => void): boolean {
  const isWell = Object.values(findings).every((it) => it.length === 0)
  for (const [what, wrong] of Object.entries(findings)) {
    say(`  ${wrong.length === 0 ? 'ok  ' : 'MISS'} ${what}${wrong.length === 0 ? '' : `: ${wrong.length}`}`)
    for (const problem of wrong.slice(0, 10)) say(`         ${problem}`)
  }
  if (!isWell)
    for (const server of servers) {
      say(`--- failed requests of ${server.name}, other than by the outages`)
      for (const [text] of server.log.matchAll(failedRequests)) say(text)
      say(`--- log of ${server.name}\n${server.log.slice(-6000)}`)
    }
  return isWell
}

/** Entries of the log, with their stack, about requests that failed because of something else than a database that was away or busy. */
const failedRequests =
  /^(?:GET|POST|PUT|DELETE) \S+: (?!.*(?:cannot be reached|was lost while|is too busy|is read-only)).*(?:\n {4}at .*)*/gm

/** Major version of Node in the Dockerfile. */
const imageNode = (): number => Number(/^FROM node:(\d+)/m.exec(read('Dockerfile'))?.[1])

const otherNode =
  '  NOT COVERED: the version of Node of the image. Run it there: npm exec --package node@<version> -- npm run soak -- cluster'
const withoutBalancer = `  NOT COVERED: HAProxy. The load chooses a server for each request itself. ${howToGet(['haproxy'])}`
