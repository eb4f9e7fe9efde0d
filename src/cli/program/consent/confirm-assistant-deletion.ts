import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import type { Context } from '../context.ts'
import type { ListedItem, Target } from '../resources/resource-descriptor.ts'
import { confirmDeletion, type DeletionPlan } from './delete-resource.ts'

/**
 * Confirms the deletion of an assistant: by name if it is in use. `all` is the list of assistants. Returns the assistant
 * as it was agreed to, and the lists that were read to find out.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmAssistantDeletion(
  context: Context,
  it: Assistant,
  {
    all,
    target,
    readAt = context.pauses(),
    confirmed,
  }: {
    readonly all: readonly Assistant[]
    readonly target: Target
    readonly readAt?: number
    readonly confirmed: string | boolean | undefined
  },
): Promise<DeletionPlan> {
  return confirmDeletion(context, {
    it: it as ListedItem,
    readAt,
    // People confirm it by its name.
    target: { ...target, by: ['name'] },
    endpoint: assistants.delete,
    confirmed,
    async findDependents(item, account) {
      const { assistantDependents } = await import('../dependencies/assistant-dependents.ts')
      const known = item === (it as ListedItem) ? all : ((await account.list('assistants')) as never)
      const effects = await assistantDependents(context, item as unknown as Assistant, known, account)
      return { effects, isLive: effects.length > 0, account: { failures: [] }, possibleNote: undefined }
    },
    buildQuestion: ({ name, id }) => ({
      question: `Delete the assistant "${name}" (${id})?`,
      refusalMessage: `Deleting the assistant "${name}" requires confirmation.`,
    }),
  })
}
