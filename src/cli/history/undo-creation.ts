import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { previewRequest } from '../connection/send-request.ts'
import { requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import type { EntryComparison } from './undo-plan.ts'
import type { UndoOutcome } from './undo-result.ts'

/** Deletes a resource that an undo created. */
export async function undoCreation(
  context: Context,
  { copy, kind, live }: EntryComparison,
  label: string,
): Promise<UndoOutcome | undefined> {
  if (!kind.remove)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_undone',
      message: `The ${label} cannot be deleted. Nothing was changed.`,
    })
  const remove: Endpoint = kind.remove
  if (await previewRequest(context, remove, { ...copy.ids })) return undefined
  await requireConfirmation(context, {
    question: `Delete the ${label}?`,
    refusalMessage: `Deleting the ${label} requires confirmation.`,
  })
  const { historyEntry } = await context.call.raw(remove, { ...copy.ids } as never, { history: { previous: live } })
  return { undone: { done: 'deleted' }, sentence: `Deleted the ${label}.`, historyEntry }
}
