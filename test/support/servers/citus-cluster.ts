import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
