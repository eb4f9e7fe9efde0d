import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { migrate } from '../../../src/platform/store/database/migrate.ts'
import { distribute } from '../../../src/platform/store/postgres/distribution.ts'
import { openPostgres } from '../../../src/platform/store/postgres/open-postgres.ts'
import { readNodes } from '../../../src/platform/store/postgres/read-distribution.ts'
import { freePorts } from './postgres-process.ts'
import { databaseUrl, order, type Template } from './postgres-server.ts'

/** Coordinator and workers of Citus on this machine, as URLs of a database of each. */
export interface Cluster extends Pick<Template, 'url' | 'workers'> {
  stop(): Promise<void>
}

/**
 * Starts Citus with the program `citus` of the folder that PARLEY_CITUS names: `citus start <folder> <port>` prints the URL of
 * the coordinator, and `citus stop <folder>` ends it.
 */
export async function startCluster(): Promise<Cluster> {
  const program = join(process.env.PARLEY_CITUS ?? '', 'citus')
  const folder = mkdtempSync(join(tmpdir(), 'parley-citus-'))
  const { stdout } = await promisify(execFile)(program, ['start', folder, String(await freePorts(3))])
  const url = withPassword(stdout.trim())
  return {
    url,
    workers: await workersOf(url),
    async stop() {
      await promisify(execFile)(program, ['stop', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a database of Parley whose tables are spread over the workers. Returns its URL. */
export async function createShardedDatabase(cluster: Cluster, name: string, shards: number): Promise<string> {
  const url = await createClusterDatabase(cluster, name)
  const database = await openPostgres(url)
  await migrate(database)
  await distribute(database, { shards, onStep: () => {} })
  await database.close()
  return url
}

/** Returns the URLs of the workers of a coordinator. */
export async function workersOf(url: string): Promise<string[]> {
  const cluster = await openPostgres(url)
  const nodes = await readNodes(cluster.read)
  await cluster.close()
  return nodes.filter((it) => it.role === 'worker').map(({ node }) => replaceHost(url, node))
}

/** Creates a database on the coordinator and on its workers, which know each other in it. Returns its URL. */
export async function createClusterDatabase(
  { url, workers }: Pick<Cluster, 'url' | 'workers'>,
  name: string,
): Promise<string> {
  for (const node of [...workers, url]) {
    await order(node, `create database ${name}`)
    await order(databaseUrl(node, name), 'create extension citus')
  }
  const database = databaseUrl(url, name)
  await order(database, `select citus_set_coordinator_host('127.0.0.1', ${new URL(url).port})`)
  for (const { hostname, port } of workers.map((it) => new URL(it)))
    await order(database, `select citus_add_node('${hostname}', ${port})`)
  return database
}

/** Returns the URL of the worker with the rows of an account. */
export async function workerOf({ url, workers }: Pick<Cluster, 'url' | 'workers'>, account: number): Promise<string> {
  const [row] = await order(
    url,
    `select nodeport from pg_dist_placement join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column('account', ${account})`,
  )
  const { nodeport } = row as { readonly nodeport: number }
  return workers.find((it) => new URL(it).port === String(nodeport)) as string
}

/** Stops a node as a crash would. Returns a function that starts it again. */
export async function crashNode(url: string): Promise<() => Promise<void>> {
  const [row] = await order(url, 'show data_directory')
  const { data_directory: data } = row as { readonly data_directory: string }
  const lock = join(data, 'postmaster.pid')
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0])
  const postgres = readlinkSync(`/proc/${pid}/exe`)
  process.kill(pid, 'SIGQUIT')
  await untilUp(url, false)
  // It refuses connections before its processes have ended, and another one would refuse to start beside it.
  while (existsSync(lock)) await sleep(20)
  return async () => {
    const { uid, gid } = statSync(data)
    // A coordinator looks for certificates in the home of its user, which is not that of this process.
    const env = { ...process.env, HOME: data }
    spawn(postgres, ['-D', data], { uid, gid, env, detached: true, stdio: 'ignore' }).unref()
    await untilUp(url, true)
  }
}

/** Waits until a node answers, or until it does not. */
async function untilUp(url: string, wanted: boolean): Promise<void> {
  for (const late = performance.now() + 60_000; performance.now() < late; await sleep(50)) {
    const isUp = await order(url, 'select').then(
      () => true,
      () => false,
    )
    if (isUp === wanted) return
  }
  throw new Error(`${url} ${wanted ? 'does not answer' : 'answers still'}.`)
}

/** Adds a password, which the nodes do not ask for, because tests look for it in messages. */
function withPassword(url: string): string {
  const changed = new URL(url)
  changed.password ||= 'parley'
  return changed.href
}

function replaceHost(url: string, host: string): string {
  const changed = new URL(url)
  changed.host = host
  return changed.href
}
