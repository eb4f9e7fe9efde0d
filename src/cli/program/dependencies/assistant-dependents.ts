import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import type { Assistant } from '../../../contract/resources/assistants.ts'
import type { Context } from '../context.ts'
import { isSameId } from '../input/ids.ts'
import { type AccountReader, createAccountReader, requireReferences } from './account-reader.ts'
import { findDependents, noteUncertain } from './dependents.ts'
import { itemsWith, itemWith } from './item-index.ts'

/**
 * Returns a sentence for each consequence of deleting an assistant, including its number and webhooks. `all`
 * is the list of assistants (default: that of `read`). @throws ClientFailure `undo_unavailable` if a list cannot be read
 */
export async function assistantDependents(
  context: Context,
  assistant: Assistant,
  all: readonly Assistant[] | undefined,
  read: AccountReader = createAccountReader(context.call, context.system.signal),
): Promise<readonly string[]> {
  const account = all === undefined ? read : withAssistants(read, all)
  const owned = assistant.phone_number_id === null ? Promise.resolve([]) : account.list('numbers')
  const [dependents, numbers] = await Promise.all([findDependents(context, 'assistants', assistant, account), owned])
  await requireReferences(context, account, 'assistant')
  await noteUncertain(context, dependents)
  return [...ownEffects(assistant, await account.list('assistants'), numbers), ...dependents.effects]
}

/** Returns a reader that has a list of assistants. */
function withAssistants(read: AccountReader, all: readonly Assistant[]): AccountReader {
  const known =
    (list: AccountReader['list']): AccountReader['list'] =>
    async (resourceKind) =>
      resourceKind === 'assistants' ? all : list(resourceKind)
  return Object.create(read, {
    list: { value: known(read.list) },
    listReferring: { value: known(read.listReferring) },
  })
}

function ownEffects(assistant: Assistant, all: readonly LinkedItem[], numbers: readonly LinkedItem[]): string[] {
  const number = assistant.phone_number_id !== null && itemWith(numbers, 'id', assistant.phone_number_id)
  const isLastUser =
    assistant.type === 'inbound' ||
    !itemsWith(all, 'phone_number_id', assistant.phone_number_id).some((other) => !isSameId(other.id, assistant.id))
  const webhooks = [
    ['post-call', assistant.is_webhook_active ? assistant.webhook_url : null],
    ['conversation-ended', assistant.conversation_ended_webhook_url],
    // An outbound assistant receives no calls.
    ['inbound', assistant.type === 'inbound' ? assistant.inbound_webhook_url : null],
  ] as const
  return [
    ...(number && isLastUser
      ? [
          assistant.type === 'inbound'
            ? `Calls to ${number.phone_number} are no longer answered.`
            : `No calls are made from ${number.phone_number} any more.`,
        ]
      : []),
    ...webhooks.flatMap(([event, url]) => (url ? [`The ${event} webhook to ${url} is no longer sent.`] : [])),
  ]
}
