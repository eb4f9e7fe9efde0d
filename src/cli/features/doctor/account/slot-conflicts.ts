import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { isNumericId } from '../../../../contract/values/numeric-id.ts'
import { itemWith } from '../../../program/dependencies/item-index.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

const webhookOf = {
  post_call: (it: LinkedItem) => (it.is_webhook_active === true ? it.webhook_url : null),
  conversation_ended: (it: LinkedItem) => it.conversation_ended_webhook_url,
  inbound: (it: LinkedItem) => it.inbound_webhook_url,
} as const

/**
 * Reports exclusive slots with several holders: a number with several inbound assistants, or an assistant event with
 * several automations or a webhook.
 */
export async function slotConflictFindings({ account }: AccountScope): Promise<Finding[]> {
  const [assistants, numbers, flows] = await Promise.all([
    account.list('assistants'),
    account.list('numbers'),
    account.list('automate'),
  ])
  const answering = assistants.filter(
    (it) => it.type === 'inbound' && it.status !== 'inactive' && (it.phone_number_id ?? null) !== null,
  )
  const bound = flows.filter(
    ({ status, binding }) =>
      status === 'enabled' &&
      isObject(binding) &&
      typeof binding.type === 'string' &&
      isNumericId(binding.assistant_id),
  )
  const bindingOf = (automation: LinkedItem): string =>
    `${(automation.binding as LinkedItem).type} of ${(automation.binding as LinkedItem).assistant_id}`
  return [
    ...findShared(answering, (it) => String(it.phone_number_id)).map(([assistant, other]) => {
      const number =
        itemWith(numbers, 'id', assistant.phone_number_id)?.phone_number ?? `number ${assistant.phone_number_id}`
      return resourceFinding(
        'failed',
        'number_conflict',
        ['assistants', assistant],
        `and assistant "${other.name}" (id ${other.id}) both answer ${number}. Only one of them receives calls.`,
        `parley assistants update ${assistant.id} --unset phone_number_id`,
      )
    }),
    ...findShared(bound, bindingOf).map(([automation, other]) =>
      resourceFinding(
        'failed',
        'event_conflict',
        ['automate', automation],
        `and automation "${other.name}" (id ${other.id}) are both bound to ${bindingOf(automation)}. Only one of them is started.`,
        `parley automate disable ${automation.id}`,
      ),
    ),
    ...bound.flatMap((automation): Finding[] => {
      const { type, assistant_id: id } = automation.binding as LinkedItem
      const assistant = itemWith(assistants, 'id', id)
      const address = assistant && webhookOf[type as keyof typeof webhookOf]?.(assistant)
      if (typeof address !== 'string' || address.includes(`/${automation.id}`)) return []
      const event = String(type).replace('_', '-')
      return [
        resourceFinding(
          'warning',
          'event_conflict',
          ['automate', automation],
          `is bound to ${event} of assistant "${assistant?.name}" (id ${id}), which also notifies ${address}. Only one of them is notified.`,
          `parley assistants disable-webhook ${id} --event ${event}`,
        ),
      ]
    }),
  ]
}

/** Returns pairs of every item with a repeated key and the first item with that key. */
function findShared(
  items: readonly LinkedItem[],
  key: (item: LinkedItem) => string,
): (readonly [LinkedItem, LinkedItem])[] {
  const first = new Map<string, LinkedItem>()
  return items.flatMap((item) => {
    const other = first.get(key(item))
    if (other === undefined) first.set(key(item), item)
    return other === undefined ? [] : [[item, other] as const]
  })
}
