import { hostname } from 'node:os'
import { nodes, type ServerNode } from '../../../contract/control/nodes.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { countOwnLeases } from '../../store/runtime/due-jobs.ts'
import { listNodes, nodeTimeoutMs, requestDrain } from '../../store/runtime/server-nodes.ts'
import type { ServerState } from './pages.ts'

/** Dependencies of the handlers of servers. */
export interface NodeDeps extends Pick<Deps, 'connection' | 'clock' | 'owner' | 'wall'> {
  readonly pid: number
  readonly version: string
  readonly state: ServerState
  /** Makes this server finish its work and stop. */
  readonly onDrainRequested?: (() => void) | undefined
}

/** Returns the endpoints of the resource with their handlers. */
export const nodeResource = (deps: NodeDeps): LoadedResource => loadedResource(nodes, nodeHandlers(deps))

/** Creates the handlers of the control API for servers. */
function nodeHandlers(deps: NodeDeps): HandlersOf<typeof nodes> {
  const { connection, clock, owner, wall, pid, version, state, onDrainRequested } = deps

  /** The server of this process, as other servers would see it. */
  const own = async (): Promise<ServerNode> => ({
    id: owner,
    host: hostname(),
    pid,
    url: state.url,
    version,
    status: state.isDraining ? 'draining' : 'ready',
    leases: await countOwnLeases(connection.read, owner, await clock.now(), wall()),
    heartbeat_age: 0,
    started_at: new Date(state.startedAt).toISOString(),
  })

  async function listShared(): Promise<ServerNode[]> {
    const now = wall()
    return (await listNodes(connection.read)).map(({ seen_at, started_at, drain_requested, ...node }) => ({
      ...node,
      status: now - seen_at >= nodeTimeoutMs ? 'silent' : drain_requested ? 'draining' : node.status,
      heartbeat_age: Math.max(0, Math.round((now - seen_at) / 100) / 10),
      started_at: new Date(started_at).toISOString(),
    }))
  }

  return {
    async list() {
      if (connection.dialect === 'postgres') return { data: await listShared() }
      return { data: state.url === null ? [] : [await own()] }
    },
    async drain({ id }) {
      const isOwn = id === owner && state.url !== null
      const isKnown = connection.dialect === 'postgres' ? await askToDrain(id) : isOwn
      if (!isKnown) throw new Failure('nodes.not_found')
      if (isOwn) onDrainRequested?.()
      return { message: `Server ${id} finishes its work and stops.` }
    },
  }

  function askToDrain(id: string): Promise<boolean> {
    return connection.write('rows', (query) => requestDrain(query, id))
  }
}
