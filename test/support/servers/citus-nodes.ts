import { afterFile } from '../cleanup.ts'
import { crashNode, createShardedDatabase, startCluster, workerOf } from './citus-cluster.ts'

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
  const url = await createShardedDatabase(cluster, 'own', 4)
  /** What starts a worker that was stopped. */
  const stopped = new Map<string, () => Promise<void>>()
  return {
    url,
    workerOf: (account) => workerOf({ url, workers: cluster.workers }, account),
    async crash(worker) {
      stopped.set(worker, await crashNode(worker))
    },
    async restart(worker) {
      await stopped.get(worker)?.()
    },
  }
}
