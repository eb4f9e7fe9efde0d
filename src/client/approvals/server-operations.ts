// Operations that wait for a person's approval, as rows of a Parley server. A run is claimed under the name of this process, so
// that another one of the same machine can find out that it has ended.

import { wireCode } from '../../contract/errors/failures.ts'
import { type Approval, approvals, type ListedApproval } from '../../contract/resources/approvals.ts'
import { hashJson } from '../../node/canonical-json.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { identify, isRunning, type ProcessOwner } from '../../node/process-identity.ts'
import type { Call } from '../client.ts'
import { ClientFailure } from '../failures/client-failure.ts'
import {
  type ListedOperation,
  notPossible,
  type PendingOperation,
  type PendingOperations,
} from './pending-operations.ts'

interface Options {
  readonly call: Call
  readonly owner: ProcessOwner
}

/** Opens the pending operations of the account of a client. Every failure is a ClientFailure. */
export function openServerOperations({ call, owner }: Options): PendingOperations {
  // A server stores it and only compares it as a whole. Commands of other versions on this machine parse it, to find out
  // whether the process runs.
  const runner = stringifyJson(identify(owner.pid))
  /** Whether the process that runs an operation was one of this machine and has ended. */
  const hasEnded = ({ state, runner }: ListedApproval): boolean =>
    state === 'running' && runner !== null && isRunning(parseRunner(runner), owner) === false
  const toListed = (found: ListedApproval): ListedOperation => ({
    id: found.id,
    at: inMilliseconds(found.created_at),
    expiresAt: inMilliseconds(found.expires_at),
    askedBy: found.asked_by,
    plan: found.plan,
    state: hasEnded(found) ? 'interrupted' : found.state,
    decidedAt: found.decided_at && inMilliseconds(found.decided_at),
    reason: found.reason,
    outcomes: found.outcomes,
  })
  const toOperation = (found: Approval): PendingOperation => {
    const { plan } = found
    return { ...toListed(found), plan, ...(hashJson(plan) !== found.hash && { state: 'damaged' as const }) }
  }
  const readApproval = async (id: string): Promise<Approval> => (await call(approvals.get, { id })).data
  const read = async (id: string): Promise<PendingOperation> => toOperation(await readApproval(id))
  /** Says in which state an operation is, if that is why a request was refused. */
  const explained = async <T>(id: string, action: string, request: Promise<T>): Promise<T> => {
    try {
      return await request
    } catch (error) {
      if (!(error instanceof ClientFailure) || error.code !== wireCode('approvals.not_possible')) throw error
      throw notPossible(await read(id), action, 'server')
    }
  }
  return {
    place: 'server',
    list: async () => (await call(approvals.list, {})).data.map(toListed),
    read,
    submit: async (plan, askedBy) => toOperation((await call(approvals.create, { plan, asked_by: askedBy })).data),
    async decide({ id, plan }, { isApproved, reason, key }) {
      const decision = isApproved ? 'approved' : 'declined'
      const input = { id, decision, hash: hashJson(plan), reason } as const
      const more = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }
      await explained(id, decision, call(approvals.decide, input, more))
    },
    async start(id) {
      const found = await readApproval(id)
      const before = toOperation(found)
      if (before.state !== 'approved' && before.state !== 'interrupted') throw notPossible(before, 'run', 'server')
      const replaces = hasEnded(found) ? found.runner : null
      await explained(id, 'run', call(approvals.start, { id, runner, replaces }))
      return before
    },
    async recordRequest(id, number, outcome) {
      await call(approvals.recordRequest, { id, runner, number, outcome })
    },
    async end(id, end) {
      await call(approvals.end, { id, runner, end })
    },
  }
}

/** Returns an ISO 8601 time as the journal has them. */
const inMilliseconds = (time: string): string => new Date(time).toISOString()

function parseRunner(text: string): Parameters<typeof isRunning>[0] {
  try {
    return parseJson(text)
  } catch {
    return { pid: 0, host: '', space: '', started: null }
  }
}
