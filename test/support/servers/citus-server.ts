import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../../src/platform/store/database/migrate.ts'
import { distribute } from '../../../src/platform/store/postgres/distribution.ts'
import { openPostgres } from '../../../src/platform/store/postgres/open-postgres.ts'
import { readNodes } from '../../../src/platform/store/postgres/read-distribution.ts'
import { watchSettings, watchTriggers } from './citus-watch.ts'
import { freePorts } from './postgres-process.ts'
import { databaseUrl, openDoor, order, type Template, templateName } from './postgres-server.ts'

/**
 * Starts a coordinator and workers of Citus per test run, with the program `citus` of the folder that PARLEY_CITUS names:
 * `citus start <folder> <port>` prints the URL of the coordinator, and `citus stop <folder>` ends it. The template is distributed
 * once; test files get copies of its databases on all nodes.
 */
export default function citusServer(project: TestProject): Promise<() => Promise<void>> {
  const program = join(process.env.PARLEY_CITUS ?? '', 'citus')
  const folder = mkdtempSync(join(tmpdir(), 'parley-citus-'))
  return openDoor(project, {
    async start() {
      const { stdout } = await promisify(execFile)(program, ['start', folder, String(await freePorts(3))])
      const url = withPassword(stdout.trim())
      for (const statement of watchSettings) await order(url, statement)
      const workers = await workersOf(url)
      const template = await createClusterDatabase({ url, workers }, templateName)
      const database = await openPostgres(template)
      await migrate(database)
      await distribute(database, { shards: 4, onStep: () => {} })
      await database.close()
      for (const statement of watchTriggers) await order(template, statement)
      // No process of Citus may be connected to what is copied.
      for (const node of [...workers, url]) {
        await order(node, `alter database ${templateName} with allow_connections false`)
        await order(node, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${templateName}'`)
      }
      return { url, workers, name: templateName }
    },
    async stop() {
      await promisify(execFile)(program, ['stop', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  })
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
  { url, workers }: Pick<Template, 'url' | 'workers'>,
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
