import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { afterFile } from '../cleanup.ts'
import { createShardedDatabase, startCluster } from './citus-cluster.ts'
import { order } from './postgres-server.ts'

/** A cluster of Citus that a test file has for itself, because it stops nodes. */
export interface OwnCluster {
  /** URL of a database whose tables are spread over the workers. */
  readonly url: string
  /** Returns the worker with the rows of an account. */
  workerOf(account: number): Promise<string>
  /** Stops a worker as a crash would. */
  crash(worker: string): Promise<void>
  /** Starts a worker that was stopped. */
  restart(worker: string): Promise<void>
}

/** Starts a cluster until the tests of the file have ended. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const cluster = await startCluster()
  afterFile(() => cluster.stop())
  const { workers } = cluster
  const url = await createShardedDatabase(cluster, 'own', 4)
  /** Folder and program of workers that were stopped. */
  const stopped = new Map<string, { readonly data: string; readonly postgres: string }>()
  const isUp = async (worker: string): Promise<boolean> =>
    order(worker, 'select').then(
      () => true,
      () => false,
    )
  return {
    url,
    async workerOf(account) {
      const [row] = await order(
        url,
        `select nodeport from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('account', ${account})`,
      )
      const { nodeport } = row as { readonly nodeport: number }
      return workers.find((it) => new URL(it).port === String(nodeport)) as string
    },
    async crash(worker) {
      const [row] = await order(worker, 'show data_directory')
      const { data_directory: data } = row as { readonly data_directory: string }
      const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
      stopped.set(worker, { data, postgres: readlinkSync(`/proc/${pid}/exe`) })
      process.kill(pid, 'SIGQUIT')
      await expect.poll(() => isUp(worker), { timeout: 20_000 }).toBe(false)
    },
    async restart(worker) {
      const { data, postgres } = stopped.get(worker) as { readonly data: string; readonly postgres: string }
      const { uid, gid } = statSync(data)
      spawn(postgres, ['-D', data], { uid, gid, detached: true, stdio: 'ignore' }).unref()
      await expect.poll(() => isUp(worker), { timeout: 20_000 }).toBe(true)
    },
  }
}
