import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { confirmDeletion, type DeletionPlan } from '../../program/consent/delete-resource.ts'
import type { Context } from '../../program/context.ts'
import type { ListedItem } from '../../program/resources/resource.ts'
import { allAssistants } from './assistant-record.ts'
import { target } from './view.ts'

/**
 * Confirms the deletion of an assistant: by name if it is in use. Returns the assistant
 * as it was agreed to, and the lists that were read to find out.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmAssistantDeletion(
  context: Context,
  assistant: Assistant,
  {
    all,
    readAt = context.pauses(),
    confirmed,
  }: {
    /** The list of assistants (default: it is read). */
    readonly all?: readonly Assistant[]
    readonly readAt?: number
    readonly confirmed: string | boolean | undefined
  },
): Promise<DeletionPlan> {
  const listed = all ?? (await allAssistants(context))
  return confirmDeletion(context, {
    item: assistant as ListedItem,
    readAt,
    // People confirm it by its name.
    target: { ...target, by: ['name'] },
    endpoint: assistants.delete,
    confirmed,
    async findDependents(item, account) {
      const { assistantDependents } = await import('../../program/dependencies/assistant-dependents.ts')
      const known = item === (assistant as ListedItem) ? listed : ((await account.list('assistants')) as never)
      const effects = await assistantDependents(context, item as unknown as Assistant, known, account)
      return { effects, isLive: effects.length > 0, account: { failures: [] }, possibleNote: undefined }
    },
    buildQuestion: ({ name, id }) => ({
      question: `Delete the assistant "${name}" (${id})?`,
      refusalMessage: `Deleting the assistant "${name}" requires confirmation.`,
    }),
  })
}
