import type { Assistant } from '../../contract/assistants.ts'
import type { Context } from '../context.ts'
import { type Account, accountOf } from './account.ts'
import type { Item } from './links.ts'
import { relyingOn, tellUncertain } from './relying.ts'

/** What would miss an assistant: a sentence each, its number and its webhooks among them. What could not be seen is told. `all`: every assistant, as they were read. */
export async function missedWith(
  context: Context,
  it: Assistant,
  all: readonly Assistant[],
  read: Account = accountOf(context.call, context.world.signal),
): Promise<readonly string[]> {
  const account: Account = Object.create(read, {
    list: { value: (thing: Parameters<Account['list']>[0]) => (thing === 'assistants' ? Promise.resolve(all) : read.list(thing)) },
  })
  const owned = it.phone_number_id === null ? Promise.resolve([]) : account.list('numbers')
  const [relying, numbers] = await Promise.all([relyingOn(context, 'assistants', it, account), owned])
  await tellUncertain(context, relying)
  return [...ownLosses(it, all, numbers), ...relying.losses]
}

function ownLosses(it: Assistant, all: readonly Assistant[], numbers: readonly Item[]): string[] {
  const number = it.phone_number_id !== null && numbers.find(({ id }) => id === it.phone_number_id)
  const isAlone = it.type === 'inbound' || !all.some((other) => other.id !== it.id && other.phone_number_id === it.phone_number_id)
  const webhooks = [
    ['post-call', it.is_webhook_active ? it.webhook_url : null],
    ['conversation-ended', it.conversation_ended_webhook_url],
    // Nobody calls one that only calls.
    ['inbound', it.type === 'inbound' ? it.inbound_webhook_url : null],
  ] as const
  return [
    ...(number && isAlone
      ? [it.type === 'inbound' ? `Nobody answers ${number.phone_number} any more.` : `Nobody calls from ${number.phone_number} any more.`]
      : []),
    ...webhooks.flatMap(([event, url]) => (url ? [`The ${event} webhook to ${url} is no longer sent.`] : [])),
  ]
}
