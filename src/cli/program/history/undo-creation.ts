import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { previewRequest } from '../connection/send-request.ts'
import { confirmDeletion, displayName } from '../consent/delete-resource.ts'
import type { Context } from '../context.ts'
import { resources } from '../resources/registry.ts'
import type { ConfirmedDeletion, ListedItem } from '../resources/resource.ts'
import type { EntryComparison } from './undo-plan.ts'
import { entryResourceId, type UndoOutcome } from './undo-result.ts'

/** Deletes a resource that an undo created. `confirmed` is the value of `--confirm`. */
export async function undoCreation(
  context: Context,
  comparison: EntryComparison,
  label: string,
  confirmed: string | boolean | undefined,
): Promise<UndoOutcome | undefined> {
  const { copy, kind } = comparison
  if (!kind.remove)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_undone',
      message: `The ${label} cannot be deleted. Nothing was changed.`,
    })
  const remove: Endpoint = kind.remove
  if (await previewRequest(context, remove, { ...copy.ids })) return undefined
  const { item, list } = await confirmRemoval(context, comparison, label, confirmed)
  const { historyEntry } = await context.call.raw(
    remove,
    { ...copy.ids },
    {
      history: { previous: item, ...(list && { list }) },
    },
  )
  return { undone: { done: 'deleted' }, sentence: `Deleted the ${label}.`, historyEntry }
}

/** Asks for what the delete command of the resource asks for. */
async function confirmRemoval(
  context: Context,
  { copy, kind, live }: EntryComparison,
  label: string,
  confirmed: string | boolean | undefined,
): Promise<ConfirmedDeletion> {
  const item = live as ListedItem
  if (kind.confirmDeletion) return kind.confirmDeletion(context, item, confirmed)
  const resourceKind = kind.dependentsOf
  const known = resourceKind && (await resources[resourceKind].loadTarget?.())
  const { isListPartial: _, ...target } = known ?? {
    singular: kind.singular,
    list: kind.readers[0],
    by: [],
    label: () => label,
  }
  return confirmDeletion(context, {
    item,
    target,
    endpoint: kind.remove as Endpoint,
    ids: copy.ids,
    dependencyKind: known && resourceKind,
    confirmed,
    buildQuestion: (item) => ({
      question: `Delete the ${label}?`,
      refusalMessage: `Deleting ${kind.singular} ${known ? displayName(item, known) : entryResourceId(copy)} requires confirmation.`,
    }),
  })
}
