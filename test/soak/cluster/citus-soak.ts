import { setTimeout as sleep } from 'node:timers/promises'
import { crashNode, createShardedDatabase, startCluster, workerOf } from '../../support/servers/citus-cluster.ts'
import { order } from '../../support/servers/postgres-server.ts'
import { howToGet } from '../../support/servers/system-programs.ts'
import { read } from '../../support/sources.ts'
import { firstWrite, leadOf, seconds } from './first-write.ts'
import type { Answer } from './load-client.ts'
import type { LoadAccount } from './prepare-accounts.ts'
import { startPgBouncer } from './system-services.ts'
import { type Outcome, type Stage, underLoad } from './under-load.ts'

/** Milliseconds for which requests are measured, and a node is away. */
const measuredMs = 20_000
/** Milliseconds until all prepared transactions are ended. */
const recoveryMs = 60_000
/** Milliseconds until a transaction in two phases is in the first one. */
const preparedMs = 60_000
const shards = 8
/** How much longer requests of other accounts may take, at most: the slowest in a hundred. */
const maxSlower = 2

export interface CitusSoakOptions {
  readonly seed: number
  readonly say: (text: string) => void
}

/**
 * Kills a worker and the coordinator of a sharded database under load, and moves its shards. Returns whether the accounts of other
 * workers continued, and nothing that was acknowledged was lost or done twice.
 */
export async function citusSoak({ seed, say }: CitusSoakOptions): Promise<boolean> {
  if (!process.env.PARLEY_CITUS) {
    say('The sharded database was not tested: PARLEY_CITUS names no folder with Citus. See CONTRIBUTING.md: Set up.')
    return false
  }
  say(`Citus: 3 servers, a coordinator and two workers, seed ${seed}`)
  const cluster = await startCluster()
  const database = await createShardedDatabase(cluster, 'parley_soak', shards)
  await order(database, read('deploy/postgres.sql'))
  const nodes = [database, ...cluster.workers.map((it) => sameDatabase(it, database))] as const
  const pooler = await startPgBouncer(database)
  if (!pooler) say(`  NOT COVERED: PgBouncer. ${howToGet(['pgbouncer'])}`)
  try {
    return await underLoad({
      seed,
      say,
      database,
      serversDatabase: pooler?.url ?? database,
      accounts: 8,
      clients: 8,
      pauseMs: 400,
      async trouble(stage) {
        return {
          tables: [],
          findings: {
            ...(await killWorker(stage, { ...cluster, url: database }, say)),
            ...(await killCoordinator(stage, nodes, say)),
            ...(await moveShards(stage, database, say)),
          },
        }
      },
      settle: () => recoverPrepared(nodes, say),
    })
  } finally {
    pooler?.stop()
    await cluster.stop()
  }
}

/** Kills the worker of the first account. Its accounts get 503 with Retry-After, and others stay as fast as before. */
async function killWorker(
  stage: Stage,
  cluster: { readonly url: string; readonly workers: readonly string[] },
  say: (text: string) => void,
): Promise<Outcome['findings']> {
  const places = await Promise.all(stage.accounts.map((it) => workerOf(cluster, it.id)))
  const away = stage.accounts.filter((_, n) => places[n] === places[0])
  const others = stage.accounts.filter((_, n) => places[n] !== places[0])
  // The first requests of servers are slow, and next to them any others would look fast.
  await measure(stage, others)
  const before = await measure(stage, others)
  const restart = await crashNode(places[0] as string)
  const [during, refused] = await Promise.all([measure(stage, others), measure(stage, away)])
  await restart()
  const back = await firstWrite(stage, away[0] as LoadAccount)
  const [was, is] = [slowest(before), slowest(during)]
  say(
    `  worker killed: ${refused.length} requests of its ${away.length} accounts, ${refused.filter(isRetryable).length} of them 503 with Retry-After; others: p99 ${was.toFixed(0)} ms before, ${is.toFixed(0)} ms meanwhile (${(is / was).toFixed(2)}x, ${during.length} requests); writes again ${seconds(back)} after it was back`,
  )
  return {
    'accounts of the lost worker get 503 with Retry-After': refused
      .filter((it) => !isRetryable(it))
      .map((it) => `${it.answer?.status} ${JSON.stringify(it.answer?.body)}`),
    'accounts of other workers continue': during
      .filter((it) => (it.answer?.status ?? 0) >= 300 || !it.answer)
      .map((it) => `${it.answer?.status} ${JSON.stringify(it.answer?.body)}`),
    [`the slowest in a hundred of others at most ${maxSlower}x`]:
      is <= was * maxSlower ? [] : [`${is.toFixed(0)} ms instead of ${was.toFixed(0)} ms`],
  }
}

/**
 * Kills the coordinator between the two phases of a commit: its own COMMIT waits for a standby that it does not have, after the workers
 * have prepared theirs. What was prepared must end as the coordinator remembers it, when it is back.
 */
async function killCoordinator(
  stage: Stage,
  [database, ...workers]: readonly [string, ...string[]],
  say: (text: string) => void,
): Promise<Outcome['findings']> {
  await order(database, "alter system set synchronous_standby_names = 'none'")
  await order(database, 'select pg_reload_conf()')
  const late = performance.now() + preparedMs
  while ((await countPrepared(workers)) === 0 && performance.now() < late) await sleep(20)
  const restart = await crashNode(database)
  const left = await countPrepared(workers)
  await sleep(5000)
  await restart()
  await order(database, 'alter system reset synchronous_standby_names')
  await order(database, 'select pg_reload_conf()')
  const back = await firstWrite(stage, stage.accounts[0] as LoadAccount).catch(async (error: Error) => {
    const open = await order(
      database,
      "select pid, state, wait_event_type, wait_event, now() - xact_start as since, left(query, 200) as query from pg_stat_activity where backend_type = 'client backend' and state <> 'idle'",
    )
    throw new Error(`${error.message} ${JSON.stringify(open)}`)
  })
  say(
    `  coordinator killed with ${left} transactions prepared by workers, started again after 5 s: writes again ${seconds(back)} later`,
  )
  return {
    'the coordinator was killed between two phases of a commit': left > 0 ? [] : ['no transaction was prepared'],
  }
}

/** Moves each shard to the other worker while its accounts are written. */
async function moveShards(stage: Stage, database: string, say: (text: string) => void): Promise<Outcome['findings']> {
  const wrong: string[] = []
  const began = performance.now()
  let moved = 0
  const placed = await order(
    database,
    `select shardid, n.nodename, n.nodeport, other.nodename as to_name, other.nodeport as to_port
    from pg_dist_shard join pg_dist_placement p using (shardid) join pg_dist_node n using (groupid)
    join pg_dist_node other on other.groupid not in (0, n.groupid) and other.shouldhaveshards
    where logicalrelid = 'account'::regclass`,
  )
  // The limits of the role of the servers hold on the workers, too, and would end the snapshot of a move after 5 s.
  for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await order(database, `alter role parley reset ${name}`)
  for (const row of placed as { [name in 'shardid' | 'nodename' | 'nodeport' | 'to_name' | 'to_port']: string }[])
    try {
      await order(
        database,
        `select citus_move_shard_placement(${row.shardid}, '${row.nodename}', ${row.nodeport}, '${row.to_name}', ${row.to_port}, 'force_logical')`,
      )
      moved++
    } catch (error) {
      wrong.push(`shard ${row.shardid}: ${(error as Error).message}`)
    }
  await order(database, read('deploy/postgres.sql'))
  const back = await firstWrite(stage, stage.accounts[0] as LoadAccount)
  say(
    `  ${moved} of ${placed.length} shards moved in ${seconds(performance.now() - began)}, a write ${seconds(back)} afterwards`,
  )
  return { 'every shard is moved': wrong }
}

/** Lets Citus end the transactions that a crash left prepared. Returns those that stay. */
async function recoverPrepared(nodes: readonly string[], say: (text: string) => void): Promise<Outcome['findings']> {
  const before = await countPrepared(nodes)
  // Servers still end their work, and prepare transactions for a moment: none at one time is enough.
  let left = before
  for (const late = performance.now() + recoveryMs; performance.now() < late; await sleep(1000)) {
    await order(nodes[0] as string, 'select recover_prepared_transactions()')
    left = await countPrepared(nodes)
    if (left === 0) break
  }
  say(`  prepared transactions: ${before} after the trouble, ${left} after their recovery`)
  return { 'no prepared transaction is left': left === 0 ? [] : [`${left} are left`] }
}

/** Returns how many transactions some nodes have prepared. */
async function countPrepared(nodes: readonly string[]): Promise<number> {
  const found = await Promise.all(
    nodes.map((it) => order(it, 'select gid from pg_prepared_xacts where database = current_database()')),
  )
  return found.flat().length
}

interface Measured {
  readonly ms: number
  readonly answer: Answer
}

const isRetryable = ({ answer }: Measured): boolean =>
  answer?.status === 503 && answer.headers['retry-after'] !== undefined

/** Sends writes of accounts one after the other for some time. */
async function measure({ client, url }: Stage, accounts: readonly LoadAccount[]): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const until = performance.now() + measuredMs; performance.now() < until; ) {
    const account = accounts[measured.length % accounts.length] as LoadAccount
    const sentAt = performance.now()
    const answer = await client.send(url, leadOf(account))
    measured.push({ ms: performance.now() - sentAt, answer })
  }
  return measured
}

/** Returns the milliseconds of the slowest in a hundred. */
function slowest(measured: readonly Measured[]): number {
  const sorted = measured.map((it) => it.ms).sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}

function sameDatabase(node: string, database: string): string {
  const url = new URL(node)
  url.pathname = new URL(database).pathname
  return url.href
}
