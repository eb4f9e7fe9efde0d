import { hostname } from 'node:os'
import { realTime } from '../../node/real-time.ts'
import type { Connection } from '../store/database/connection.ts'
import { readNoDistribution } from '../store/database/unfinished-distribution.ts'
import { writeRows } from '../store/database/write-rows.ts'
import { listLeases, releaseLeases } from '../store/runtime/scheduled-jobs.ts'
import { deleteNode, deleteSilentNodes, nodeTimeoutMs, recordHeartbeat } from '../store/runtime/server-nodes.ts'

/**
 * Milliseconds between two heartbeats. Servers of other versions take over the jobs of one that is silent for
 * `nodeTimeoutMs` (store/runtime/server-nodes.ts): it must be much shorter.
 */
const heartbeatMs = 1000
/** Milliseconds after which a silent server is forgotten. */
const retentionMs = 24 * 3600 * 1000

/** The entry of this process among the servers of a database. */
export interface ServerNode {
  /** Publishes the URL and the status of this server at once. */
  announce(): Promise<void>
  /**
   * Returns whether this server may take over jobs of servers without a heartbeat. After a pause of its own heartbeats,
   * such as a failure of the database, the others get time for theirs.
   */
  mayTakeOver(): boolean
  /** Hands the leases back to other servers and removes the entry. */
  leave(): Promise<void>
}

/** How this process appears to other servers of the same database, and what they may ask of it. */
interface ServerNodeOptions {
  readonly connection: Connection
  /** Owner of the leases of this process. */
  readonly owner: string
  readonly pid: number
  readonly version: string
  /** What other servers, and `parley server nodes`, see of this one; it may change. */
  readonly state: { readonly url: string | null; readonly isDraining: boolean }
  /** Called once when the row of this server asks it to finish its work and stop. */
  readonly onDrainRequested?: (() => void) | undefined
  readonly wall: () => number
  readonly log: (text: string) => void
}

/**
 * Announces this process to the other servers of a PostgreSQL database and renews its heartbeat. A server without
 * heartbeats loses its leases. If the database is a file, no server needs this: its processes see who is alive. Rejects with
 * StoreError while the tables of the database are being spread over nodes.
 */
export async function joinServers(options: ServerNodeOptions): Promise<ServerNode> {
  const { connection, owner, pid, version, state, wall, log } = options
  const startedAt = wall()
  let isDrainRequested = false
  let beatAt = Number.NEGATIVE_INFINITY
  /** Time since which the heartbeats have no gap. */
  let uninterruptedSince = startedAt
  async function beat(): Promise<void> {
    const row = await connection.write('rows', (query) =>
      recordHeartbeat(query, {
        id: owner,
        host: hostname(),
        pid,
        version,
        url: state.url,
        status: state.isDraining ? 'draining' : 'ready',
        started_at: startedAt,
        seen_at: wall(),
      }),
    )
    const now = wall()
    if (now - beatAt > nodeTimeoutMs) uninterruptedSince = now
    beatAt = now
    if (!row.drain_requested || isDrainRequested) return
    isDrainRequested = true
    options.onDrainRequested?.()
  }
  await beat()
  // A distribution that has started since the database was opened may not have seen this server.
  await readNoDistribution(connection.read, connection.location).catch(async (error: unknown) => {
    await connection.write('rows', (query) => deleteNode(query, owner))
    throw error
  })
  await connection.write('rows', (query) => deleteSilentNodes(query, wall() - retentionMs))
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let running: Promise<void> = Promise.resolve()
  const schedule = (): void => {
    timer = realTime.setTimeout(() => {
      running = beat()
        .catch((error: Error) => log(`heartbeat: ${error.message}`))
        .finally(() => {
          if (!isOver) schedule()
        })
    }, heartbeatMs)
    timer.unref()
  }
  schedule()
  async function handBackLeases(): Promise<void> {
    const leases = await listLeases(connection.read, owner)
    await writeRows(connection, leases, (query) => releaseLeases(query, owner))
  }
  return {
    announce: beat,
    mayTakeOver: () => beatAt - uninterruptedSince >= nodeTimeoutMs,
    async leave() {
      isOver = true
      realTime.clearTimeout(timer)
      await running
      // Before the entry is removed: the lease of a server without an entry is free only when it ends. A node of the database that
      // does not answer keeps this server from handing leases back, not from leaving.
      await handBackLeases().catch((error: Error) => log(`leases: ${error.message}`))
      await connection.write('rows', (query) => deleteNode(query, owner))
    },
  }
}
