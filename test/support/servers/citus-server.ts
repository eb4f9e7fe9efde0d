import type { TestProject } from 'vitest/node'
import { type Cluster, createShardedDatabase, startCluster } from './citus-cluster.ts'
import { watchSettings, watchTriggers } from './citus-watch.ts'
import { openDoor, order, templateName } from './postgres-server.ts'

/**
 * Starts Citus per test run, when the first test file connects to the port. The template is distributed once; test files get
 * copies of its databases on all nodes.
 */
export default function citusServer(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Cluster | undefined
  return openDoor(project, {
    async start() {
      cluster = await startCluster()
      const { url, workers } = cluster
      for (const statement of watchSettings) await order(url, statement)
      const template = await createShardedDatabase(cluster, templateName, 4)
      for (const statement of watchTriggers) await order(template, statement)
      // No process of Citus may be connected to what is copied.
      for (const node of [...workers, url]) {
        await order(node, `alter database ${templateName} with allow_connections false`)
        await order(node, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${templateName}'`)
      }
      return { url, workers, name: templateName }
    },
    async stop() {
      await cluster?.stop()
    },
  })
}
