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
  it: Assistant,
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
  const owned = it.phone_number_id === null ? Promise.resolve([]) : account.list('numbers')
  const [dependents, numbers] = await Promise.all([findDependents(context, 'assistants', it, account), owned])
  await requireReferences(context, account, 'assistant')
  await noteUncertain(context, dependents)
  return [...ownEffects(it, all, numbers), ...dependents.effects]
}

function ownEffects(it: Assistant, all: readonly Assistant[], numbers: readonly LinkedItem[]): string[] {
  const number = it.phone_number_id !== null && numbers.find(({ id }) => id === it.phone_number_id)
  const isLastUser =
    it.type === 'inbound' || !all.some((other) => other.id !== it.id && other.phone_number_id === it.phone_number_id)
  const webhooks = [
    ['post-call', it.is_webhook_active ? it.webhook_url : null],
    ['conversation-ended', it.conversation_ended_webhook_url],
    // An outbound assistant receives no calls.
    ['inbound', it.type === 'inbound' ? it.inbound_webhook_url : null],
  ] as const
  return [
    ...(number && isLastUser
      ? [
          it.type === 'inbound'
            ? `Calls to ${number.phone_number} are no longer answered.`
            : `No calls are made from ${number.phone_number} any more.`,
        ]
      : []),
    ...webhooks.flatMap(([event, url]) => (url ? [`The ${event} webhook to ${url} is no longer sent.`] : [])),
  ]
}
