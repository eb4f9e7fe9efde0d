import { hostname } from 'node:os'
import type { Connection } from '../store/database/connection.ts'
import { releaseLeases } from '../store/runtime/scheduled-jobs.ts'
import { deleteNode, deleteSilentNodes, recordHeartbeat, type ServerNodeRow } from '../store/runtime/server-nodes.ts'

/** Milliseconds between two heartbeats. */
const heartbeatMs = 1000
/** Milliseconds after which a silent server is forgotten. */
const retentionMs = 24 * 3600 * 1000

/** The entry of this process among the servers of a database. */
export interface ServerNode {
  /** Announces that this server takes no new work. */
  drain(): Promise<void>
  /** Hands the leases back to other servers and removes the entry. */
  leave(): Promise<void>
}

export interface ServerNodeOptions {
  readonly connection: Connection
  /** Owner of the leases of this process. */
  readonly owner: string
  readonly pid: number
  readonly version: string
  readonly url?: string | undefined
  readonly wall: () => number
  readonly log: (text: string) => void
}

/**
 * Announces this process to the other servers of a PostgreSQL database and renews its heartbeat. A server without
 * heartbeats loses its leases. If the database is a file, no server needs this: its processes see who is alive.
 */
export async function joinServers(options: ServerNodeOptions): Promise<ServerNode> {
  const { connection, owner, pid, version, url, wall, log } = options
  const startedAt = wall()
  let status: ServerNodeRow['status'] = 'ready'
  const beat = (): Promise<void> =>
    connection.write('rows', (query) =>
      recordHeartbeat(query, {
        id: owner,
        host: hostname(),
        pid,
        version,
        url: url ?? null,
        status,
        started_at: startedAt,
        seen_at: wall(),
      }),
    )
  await beat()
  await connection.write('rows', (query) => deleteSilentNodes(query, wall() - retentionMs))
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let running: Promise<void> = Promise.resolve()
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = beat()
        .catch((error: Error) => log(`heartbeat: ${error.message}`))
        .finally(() => {
          if (!isOver) schedule()
        })
    }, heartbeatMs)
    timer.unref()
  }
  schedule()
  return {
    async drain() {
      status = 'draining'
      await beat()
    },
    async leave() {
      isOver = true
      clearTimeout(timer)
      await running
      await connection.write('rows', async (query) => {
        await releaseLeases(query, owner)
        await deleteNode(query, owner)
      })
    },
  }
}
