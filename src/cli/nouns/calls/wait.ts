import { type Call, calls } from '../../../contract/resources/calls.ts'
import type { Waitable } from '../../program/waiting/waitable.ts'

/** Statuses of a call that has not ended. One with any other status has, also with one that this version does not know. */
const inProgress: readonly string[] = ['initiated', 'queued', 'ringing', 'in-progress']
/** Returns whether a call has not ended. */
export const isInProgress = ({ status }: Pick<Call, 'status'>): boolean => inProgress.includes(status)

const unreached: readonly string[] = ['busy', 'no-answer', 'failed']
/** Returns whether a call ended without reaching the customer. */
export const isUnreached = ({ status }: Pick<Call, 'status'>): boolean => unreached.includes(status)

/** How a call is waited for. One that did not reach the customer ended otherwise. */
export const callWait: Waitable = {
  singular: 'call',
  conditions: {
    ended: { reached: ['ended'], pending: inProgress },
    answered: { reached: ['in-progress', 'ended'], pending: inProgress.filter((it) => it !== 'in-progress') },
  },
  read: ({ call }, { id }) => call(calls.get, { id: id as number }),
  stateOf(record) {
    const call = record as Call
    return isInProgress(call) || isUnreached(call) ? call.status : 'ended'
  },
  shownBy: ({ id }) => ({ words: 'calls get', argument: String(id) }),
}
