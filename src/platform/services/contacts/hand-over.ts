// A send is handed over to its provider: a transaction that holds the account checks that the recipient may be contacted and
// stores that the request is about to start. A block that is stored afterwards finds that mark, and waits until each process that
// got a permission has started its request, or cannot start it any more. So no request starts after a block was answered.
// Several processes may have a permission for one send, after one of them was slow: an outcome of one does not release the others.

import { Failure } from '../../../contract/errors/failures.ts'
import { realTime, sleep } from '../../../node/real-time.ts'
import { isStopped } from '../../store/accounts/accounts.ts'
import type { Channel } from '../../store/campaigns/tables.ts'
import {
  filterOpen,
  markHandedOver,
  type OpenHandOver,
  releaseHandOver,
} from '../../store/contacts/blocked-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { Deps } from '../runtime/deps.ts'
import { type ContactRefusal, findContactRefusals } from './contact-permission.ts'

/** Milliseconds within which a handed over send starts its request. Later it must be handed over again. */
export const handOverMs = 5000

/** A permission to start one request. */
export interface HandOver {
  /** Wall time in milliseconds, for the row of the send. */
  readonly at: number
  /** The permission ends at this time of the monotonic clock. */
  readonly endsAt: number
  /** Whether its time has passed. */
  isOver(): boolean
}

/**
 * Returns the permission for a send whose recipient was checked in this transaction. The caller stores `at` in its row. It
 * counts from this moment, which is before the commit: a block that finds the row was stored later.
 */
export function beginHandOver({ wall }: Pick<Deps, 'wall'>): HandOver {
  const at = wall()
  const endsAt = realTime.monotonicMs() + handOverMs
  // A block compares wall times. A computer that was suspended has no monotonic time of that.
  return { at, endsAt, isOver: () => realTime.monotonicMs() >= endsAt || wall() >= at + handOverMs }
}

/** A stored send, and its recipient. */
export interface StoredSend {
  readonly channel: Channel
  readonly id: number
  readonly phone: string
  /** Whether it is sent although the recipient has opted out. */
  readonly isExempt?: boolean
}

/**
 * Hands over a stored send, in the caller's transaction, which holds the account. Returns the permission, the reason why the
 * recipient must not be contacted, or undefined if the send has an outcome already. @throws Failure `user.stopped` while the
 * account is stopped; the job of the send repeats it after the resume
 */
export async function handOver(
  query: AccountQuery,
  deps: Pick<Deps, 'wall'>,
  { channel, id, phone, isExempt = false }: StoredSend,
): Promise<HandOver | ContactRefusal | undefined> {
  if (!isExempt && (await isStopped(query)))
    throw new Failure('user.stopped', {
      text: 'Everything of this account is stopped. This was stored before, and is sent once the account is resumed.',
    })
  const refusal = isExempt ? undefined : (await findContactRefusals(query, channel, [phone])).get(phone)
  if (refusal) return refusal
  const given = beginHandOver(deps)
  const send: OpenHandOver = { channel, id }
  return (await markHandedOver(query, send, given.at)) ? given : undefined
}

/**
 * Starts a request that was handed over. Without a permission, or if its time has passed, `renew` hands it over again; the
 * request does not start if `renew` returns none. `start` must start the request before it waits for anything. If it fails, the
 * send is released; otherwise the caller releases it with its outcome.
 */
export async function startHandedOver<T>(
  { connection }: Pick<Deps, 'connection'>,
  send: OpenHandOver & { readonly account: number },
  {
    given,
    renew,
    start,
  }: {
    readonly given: HandOver | undefined
    readonly renew: () => Promise<HandOver | undefined>
    readonly start: () => Promise<T>
  },
): Promise<T | undefined> {
  const release = (): Promise<void> =>
    connection.write({ account: send.account }, (query) => releaseHandOver(query, send))
  let current = given
  while (!current || current.isOver()) {
    if (current) await release()
    current = await renew()
    if (!current) return undefined
  }
  try {
    return await start()
  } catch (error) {
    // Without it the permission ends after its time. Why the request failed must not be lost.
    await release().catch(() => undefined)
    throw error
  }
}

/** Milliseconds between two reads of the sends that were handed over. */
const pollMs = 25

/** Waits until no request of some sends can start any more, at most as long as a permission is valid. */
export async function waitForHandOvers(
  { connection }: Pick<Deps, 'connection'>,
  account: number,
  sends: readonly OpenHandOver[],
): Promise<void> {
  const since = realTime.monotonicMs()
  let open = sends
  while (open.length > 0 && realTime.monotonicMs() - since < handOverMs) {
    await sleep(pollMs)
    open = await filterOpen(accountQuery(connection.read, account), open)
  }
}
