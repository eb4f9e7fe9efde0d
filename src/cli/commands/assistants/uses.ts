import { itemsOf } from '../../../client/pages.ts'
import type { Assistant } from '../../../contract/assistants.ts'
import { automate } from '../../../contract/automate.ts'
import { campaigns } from '../../../contract/campaigns.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { numbers } from '../../../contract/numbers.ts'
import type { Context } from '../../context.ts'

type Item = Readonly<Record<string, unknown>>

/** A list of the platform, or nothing where it has no such list: what cannot be seen is no reason to refuse. */
const listed = async (context: Context, endpoint: Endpoint): Promise<readonly Item[]> =>
  itemsOf(endpoint, await context.call(endpoint, {} as never).catch(() => undefined)) as readonly Item[]

/** What would miss an assistant: a sentence each. Empty when nothing is known to use it. */
export async function usesOf(context: Context, it: Assistant, all: readonly Assistant[]): Promise<string[]> {
  const [owned, flows, dialling] = await Promise.all([listed(context, numbers.list), listed(context, automate.list), listed(context, campaigns.list)])
  const number = it.phone_number_id !== null && owned.find(({ id }) => id === it.phone_number_id)
  const isAlone = it.type === 'inbound' || !all.some((other) => other.id !== it.id && other.phone_number_id === it.phone_number_id)
  const transfers = all.filter((other) => other.id !== it.id && other.tools?.some((tool) => tool.type === 'assistant_transfer' && tool.assistant_id === it.id))
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
    ...transfers.map((other) => `"${other.name}" (${other.id}) no longer transfers to it.`),
    ...webhooks.flatMap(([event, url]) => (url ? [`The ${event} webhook to ${url} is no longer sent.`] : [])),
    ...flows.filter(({ binding }) => (binding as Item | null)?.assistant_id === it.id).map((flow) => `The automation "${flow.name}" loses its event.`),
    ...dialling
      .filter((campaign) => campaign.assistant_id === it.id && campaign.status !== 'completed')
      .map((campaign) => `The campaign "${campaign.name}" loses its assistant.`),
  ]
}
