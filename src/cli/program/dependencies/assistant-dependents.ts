import type { Assistant } from '../../../contract/resources/assistants.ts'
import type { Context } from '../context.ts'
import { type AccountReader, createAccountReader, requireReferences } from './account-reader.ts'
import { findDependents, noteUncertain } from './dependents.ts'
import type { LinkedItem } from './resource-links.ts'

/**
 * Returns a sentence for each consequence of deleting an assistant, including its number and webhooks. `all`
 * is the list of assistants. @throws ClientFailure `undo_unavailable` if a list cannot be read
 */
export async function assistantDependents(
  context: Context,
  assistant: Assistant,
  all: readonly Assistant[],
  read: AccountReader = createAccountReader(context.call, context.system.signal),
): Promise<readonly string[]> {
  const known =
    (list: AccountReader['list']): AccountReader['list'] =>
    async (resourceKind) =>
      resourceKind === 'assistants' ? all : list(resourceKind)
  const account: AccountReader = Object.create(read, {
    list: { value: known(read.list) },
    listReferring: { value: known(read.listReferring) },
  })
  const owned = assistant.phone_number_id === null ? Promise.resolve([]) : account.list('numbers')
  const [dependents, numbers] = await Promise.all([findDependents(context, 'assistants', assistant, account), owned])
  await requireReferences(context, account, 'assistant')
  await noteUncertain(context, dependents)
  return [...ownEffects(assistant, all, numbers), ...dependents.effects]
}

function ownEffects(assistant: Assistant, all: readonly Assistant[], numbers: readonly LinkedItem[]): string[] {
  const number = assistant.phone_number_id !== null && numbers.find(({ id }) => id === assistant.phone_number_id)
  const isLastUser =
    assistant.type === 'inbound' ||
    !all.some((other) => other.id !== assistant.id && other.phone_number_id === assistant.phone_number_id)
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
