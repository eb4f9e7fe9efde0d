import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import type { BillingPrices } from '../../../contract/resources/billing.ts'
import { type Campaign, campaigns } from '../../../contract/resources/campaigns.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { type MessageTemplate, messaging } from '../../../contract/resources/messaging.ts'
import { usd } from '../../../contract/values/money.ts'
import { countSegments } from '../../../contract/values/sms-segments.ts'
import { leadStatuses, openLeadStatuses } from '../../../contract/values/states.ts'
import { fillVariables } from '../../../engine/tools/assistant-variables.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { isSameId, pathId } from '../input/ids.ts'

/** What reads the prices: the context of a command, or a client of the inspector. */
type PriceContext = Pick<Context, 'call'> & { readonly system: Pick<Context['system'], 'signal'> }

type Fields = Readonly<Record<string, unknown>>
/** Price of contacting one lead once; undefined if it is not known. */
type LeadPrice = (variables: Fields) => number | undefined

/** Statuses of leads that are not contacted again. */
const finished: ReadonlySet<string> = new Set(
  leadStatuses.filter((it) => !openLeadStatuses.some((open) => open === it)),
)

/**
 * Returns the highest price of the leads that a campaign has now, in USD: each attempt of each lead, calls with the
 * maximum duration of the assistant, and the fallback. Undefined if a part of it is not known.
 */
export async function campaignPrice(
  context: PriceContext,
  id: number,
  prices: BillingPrices,
): Promise<number | undefined> {
  const { data: campaign } = await context.call(campaigns.get, { id })
  const priceOf = await leadPrices(context, campaign, prices)
  const { signal } = context.system
  let total = 0
  for await (const lead of paginate<Endpoint, Fields>(
    context.call,
    leads.list,
    { campaign_id: id },
    {
      all: true,
      signal,
    },
  )) {
    if (finished.has(String(lead.status))) continue
    const price = priceOf(lead)?.highestUsd
    if (price === undefined) return undefined
    total += price
  }
  return total
}

/** What contacting a lead costs in USD. */
interface ContactCost {
  /** One message or call, of the maximum duration. */
  readonly onceUsd: number
  /** Each attempt to reach each of its numbers, and the fallback. */
  readonly highestUsd: number
}

/** Returns what contacting a lead of a campaign costs; the result is undefined if a part of it is not known. */
export async function leadPrices(
  context: PriceContext,
  campaign: Campaign,
  prices: BillingPrices,
): Promise<(lead: Fields) => ContactCost | undefined> {
  const [contact, fallback] = await Promise.all([
    contactPrice(context, campaign, prices),
    fallbackPrice(context, campaign, prices),
  ])
  return ({ variables: given, secondary_contacts: others }) => {
    const variables = (given ?? {}) as Fields
    const [onceUsd, last] = [contact(variables), fallback(variables)]
    if (onceUsd === undefined || last === undefined || campaign.max_retries === null) return undefined
    const numbers = 1 + (Array.isArray(others) ? others.length : 0)
    return { onceUsd, highestUsd: numbers * (campaign.max_retries * onceUsd + last) }
  }
}

async function contactPrice(context: PriceContext, campaign: Campaign, prices: BillingPrices): Promise<LeadPrice> {
  if (campaign.channel === 'sms') return smsPrice(campaign.sms_body, prices)
  const price =
    campaign.channel === 'call'
      ? await maxCallPrice(context, campaign.assistant_id, prices)
      : await templatePrice(context, campaign.messaging_sender_id, campaign.messaging_template_id, prices)
  return () => price
}

async function fallbackPrice(context: PriceContext, campaign: Campaign, prices: BillingPrices): Promise<LeadPrice> {
  if (campaign.channel !== 'call' || campaign.fallback_channel === null || campaign.fallback_channel === undefined)
    return () => 0
  if (campaign.fallback_channel === 'sms') return smsPrice(campaign.fallback_sms_body, prices)
  const price = await templatePrice(
    context,
    campaign.fallback_messaging_sender_id,
    campaign.fallback_messaging_template_id,
    prices,
  )
  return () => price
}

/** Fills the variables of the lead in, as the platform does, because they change the length. */
const smsPrice =
  (body: string | null, prices: BillingPrices): LeadPrice =>
  (variables) =>
    body === null ? undefined : countSegments(fillVariables(body, variables)) * prices.sms_segment

/** Returns the price of a message template by its category; undefined for an unknown template or category. */
export async function templatePrice(
  context: PriceContext,
  senderId: unknown,
  templateId: unknown,
  { messages }: BillingPrices,
): Promise<number | undefined> {
  return messages[(await findTemplate(context, senderId, templateId))?.category ?? '']
}

/** Returns a message template of a sender; undefined if the platform does not list it. */
export async function findTemplate(
  context: PriceContext,
  senderId: unknown,
  templateId: unknown,
): Promise<MessageTemplate | undefined> {
  const { data } = await context.call(messaging.templates, { senderId: pathId(senderId as number), status: 'all' })
  return data.find((it) => isSameId(it.id, templateId))
}

/** Returns an assistant of the list of assistants. */
export async function findAssistant(context: PriceContext, id: unknown): Promise<Fields | undefined> {
  for await (const item of paginate<Endpoint, Fields>(context.call, assistants.list, {}, { all: true }))
    if (String(item.id) === String(id)) return item
  return undefined
}

/** Returns the price of the longest call that an assistant allows. */
export async function maxCallPrice(
  context: PriceContext,
  assistantId: unknown,
  { call_minute }: BillingPrices,
): Promise<number | undefined> {
  const duration = (await findAssistant(context, assistantId))?.max_duration
  return typeof duration === 'number' ? Math.ceil(duration / 60) * call_minute : undefined
}

/** Returns the price of a call per minute. Its length is unknown before the call. */
export const callPriceText = (prices: BillingPrices | undefined): string =>
  prices ? minutePriceText(prices.call_minute) : 'unknown'

export const minutePriceText = (priceUsd: number): string => `${usd(priceUsd)} per minute, length unknown`

/**
 * Returns what a start of a campaign decides on: prices and contents, by their names in sentences. They are compared after the
 * question: what is missing here may change without another one. The start shows
 * `The price` and `The price of the fallback` (nouns/campaigns/start-terms.ts).
 */
export async function campaignTerms(
  context: PriceContext,
  campaign: Campaign,
  prices: BillingPrices | undefined,
): Promise<Record<string, string>> {
  return {
    ...(await contactTerms(context, prices, {
      channel: campaign.channel,
      assistantId: campaign.assistant_id,
      senderId: campaign.messaging_sender_id,
      templateId: campaign.messaging_template_id,
      fromId: campaign.sms_from_phone_number_id,
      body: campaign.sms_body,
    })),
    'The maximum number of attempts': String(campaign.max_retries),
    ...(campaign.channel === 'call' &&
      typeof campaign.fallback_channel === 'string' &&
      Object.fromEntries(
        Object.entries(
          await contactTerms(context, prices, {
            channel: campaign.fallback_channel,
            senderId: campaign.fallback_messaging_sender_id,
            templateId: campaign.fallback_messaging_template_id,
            fromId: campaign.fallback_sms_from_phone_number_id,
            body: campaign.fallback_sms_body,
          }),
        ).map(([name, value]) => [`${name} of the fallback`, value]),
      )),
  }
}

interface Contact {
  readonly channel: string
  readonly assistantId?: unknown
  readonly senderId?: unknown
  readonly templateId?: unknown
  readonly fromId?: unknown
  readonly body?: unknown
}

async function contactTerms(
  context: PriceContext,
  prices: BillingPrices | undefined,
  { channel, assistantId, senderId, templateId, fromId, body }: Contact,
): Promise<Record<string, string>> {
  if (channel === 'call') {
    const assistant = await findAssistant(context, assistantId)
    return { 'The price': callPriceText(prices), 'The assistant': namedText(assistant?.name, assistantId) }
  }
  if (channel === 'sms')
    return {
      'The price': prices ? `${usd(prices.sms_segment)} per segment` : 'unknown',
      'The number that sends': String(fromId),
      'The text': stringifyJson(body),
    }
  const template = await findTemplate(context, senderId, templateId)
  const price = prices?.messages[template?.category ?? '']
  return {
    'The price': price === undefined ? 'unknown' : `${usd(price)} per message`,
    'The sender': String(senderId),
    'The template': namedText(template?.name, templateId),
    'The text of the template': stringifyJson(template?.body_text ?? null),
  }
}

const namedText = (name: unknown, id: unknown): string => (typeof name === 'string' ? `"${name}" (${id})` : String(id))
