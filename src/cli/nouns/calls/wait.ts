import { type Call, calls } from '../../../contract/resources/calls.ts'
import { unreachedCallStatuses } from '../../../contract/values/states.ts'
import type { Waitable } from '../../program/waiting/waitable.ts'
import { readWaiting, showWaiting } from '../contacts/waiting.ts'

/** Statuses of a call that has not ended. One with any other status has, also with one that this version does not know. */
const inProgress: readonly string[] = ['initiated', 'queued', 'ringing', 'in-progress']
/** Returns whether a call has not ended. `events listen`, exports and judging decide by it, too. */
export const isInProgress = ({ status }: Pick<Call, 'status'>): boolean => inProgress.includes(status)

/** Returns whether a call ended without reaching the customer. */
export const isUnreached = ({ status }: Pick<Call, 'status'>): boolean => unreachedCallStatuses.includes(status)

/**
 * How a call is waited for. One that did not reach the customer ended otherwise. Scripts have the names of the conditions in
 * `--wait`, and the first one is the default: more are added behind it, and none is renamed.
 */
export const callWait: Waitable = {
  singular: 'call',
  conditions: {
    ended: { reached: ['ended'], pending: ['waiting', ...inProgress] },
    answered: {
      reached: ['in-progress', 'ended'],
      pending: ['waiting', ...inProgress.filter((it) => it !== 'in-progress')],
    },
  },
  async read(from, { id, waiting }) {
    // A call that waits for the contact hours has no id yet.
    const held = waiting === undefined ? undefined : await readWaiting(from, waiting)
    if (held && held.state !== 'started') return { ...held, status: held.state }
    return from.call(calls.get, { id: (held?.started_id ?? id) as number })
  },
  stateOf(record) {
    const call = record as Call
    if ((call.status as string) === 'waiting') return 'waiting'
    return isInProgress(call) || isUnreached(call) ? call.status : 'ended'
  },
  shownBy: ({ id, waiting }) =>
    waiting === undefined ? { words: 'calls get', argument: String(id) } : showWaiting(waiting),
}
