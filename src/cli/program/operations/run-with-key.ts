import type { Reply } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Journal, JournalEntry } from '../../../client/journal/open-operations.ts'
import { isOnPlatform } from '../../../client/journal/open-operations.ts'
import { costOf, isReplay, waitingDetail } from '../../../client/journal/outcome-detail.ts'
import type { Context } from '../context.ts'

/**
 * Runs a billable operation under the user's idempotency key. A platform that supports idempotency does nothing twice.
 * Elsewhere only the journal of this machine knows the key, and the user is warned. @throws ClientFailure `conflict`
 * for a key of a completed operation
 */
export async function runWithKey(
  context: Context,
  key: string,
  exchange: () => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const journal = await context.journal()
  const keys = new Set([key])
  const { platform } = await context.connection()
  const earlier = () => journal.list({ keys }).filter((it) => isOnPlatform(it, platform))
  if (!(await context.supports('idempotency'))) {
    await context.notes.warn(
      'This platform does not advertise idempotency and may carry out the same key twice. Only the journal of this machine is checked.',
    )
    const done = earlier().find((it) => it.state === 'done')
    if (done)
      throw new ClientFailure({
        exit: 'conflict',
        code: 'key_used',
        message: `The idempotency key "${key}" was used by a ${done.endpoint} that was carried out (entry ${done.id.slice(0, 8)}). Nothing was sent.`,
        hint: `Show it: parley ops get ${done.id.slice(0, 8)}. For another operation, pass another key.`,
        sent: false,
      })
    return exchange()
  }
  const reply = await exchange()
  await settleKey(context, key, reply)
  if (isReplay(reply.output))
    await context.notes.note(
      `This operation was carried out before with the idempotency key "${key}". The answer is the earlier one. Nothing was sent and nothing was charged.`,
    )
  return reply
}

/** Closes every open entry with a key that the platform answered as done. */
export async function settleKey(context: Context, key: string, reply: Reply<unknown>): Promise<void> {
  const journal = await context.journal()
  const { platform } = await context.connection()
  for (const entry of journal.list({ open: true, keys: new Set([key]) }))
    if (isOnPlatform(entry, platform))
      journal.recordOutcome(entry.id, 'done', {
        reconciled: 'The platform responded to the same key.',
        ...chargeDetail(journal, entry, reply.output),
      })
}

/**
 * Returns the cost of an open entry that the platform answered as done, for its detail. Only one of the entries with a key
 * was charged. The journal stores it, and budgets and `ops list` read it under these names: they never change.
 */
export function chargeDetail(
  journal: Journal,
  entry: JournalEntry,
  output: unknown,
): { readonly replayed?: true; readonly costUsd?: number; readonly waitingId?: number } {
  const isCharged = journal
    .list({ keys: new Set([entry.idempotencyKey]) })
    .some(
      (open) =>
        open.id !== entry.id &&
        open.state === 'done' &&
        isOnPlatform(open, entry) &&
        (open.detail as { replayed?: unknown } | undefined)?.replayed !== true,
    )
  if (isCharged) return { replayed: true, costUsd: 0 }
  const costUsd = costOf(output)
  return { ...(costUsd !== undefined && { costUsd }), ...waitingDetail(output) }
}
