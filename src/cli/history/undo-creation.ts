import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { previewRequest } from '../connection/send-request.ts'
import { requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import type { AccountReader } from '../dependencies/account-reader.ts'
import type { ListedItem } from '../input/resolve-target.ts'
import { resources } from '../resources/descriptors.ts'
import type { EntryComparison } from './undo-plan.ts'
import { entryResourceId, type UndoOutcome } from './undo-result.ts'

/** Deletes a resource that an undo created. `confirmed` is the value of `--confirm`. */
export async function undoCreation(
  context: Context,
  comparison: EntryComparison,
  label: string,
  confirmed: string | boolean | undefined,
): Promise<UndoOutcome | undefined> {
  const { copy, kind, live } = comparison
  if (!kind.remove)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_undone',
      message: `The ${label} cannot be deleted. Nothing was changed.`,
    })
  const remove: Endpoint = kind.remove
  if (await previewRequest(context, remove, { ...copy.ids })) return undefined
  const list = await confirmRemoval(context, comparison, label, confirmed)
  const { historyEntry } = await context.call.raw(remove, { ...copy.ids } as never, {
    history: { previous: live, ...(list && { list }) },
  })
  return { undone: { done: 'deleted' }, sentence: `Deleted the ${label}.`, historyEntry }
}

/** Asks for what the delete command of the resource asks for. Returns the lists that were read to find dependents. */
async function confirmRemoval(
  context: Context,
  { copy, kind, live }: EntryComparison,
  label: string,
  confirmed: string | boolean | undefined,
): Promise<AccountReader['list'] | undefined> {
  const it = live as ListedItem
  const confirmationOf = (name: string | number) => ({
    question: `Delete the ${label}?`,
    refusalMessage: `Deleting ${kind.singular} ${name} requires confirmation.`,
  })
  if (kind.confirmDeletion) return kind.confirmDeletion(context, it, confirmed)
  const resourceKind = kind.dependentsOf
  const target = resourceKind && (await resources[resourceKind].loadTarget?.())
  if (!resourceKind || !target) {
    await requireConfirmation(context, confirmationOf(entryResourceId(copy)))
    return undefined
  }
  const { confirmDeletion, displayName } = await import('../consent/delete-resource.ts')
  const confirmation = confirmationOf(displayName(it, target))
  return confirmDeletion(context, resourceKind, it, { confirmation, target, confirmed })
}
