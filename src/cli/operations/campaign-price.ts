import { paginate } from '../../client/paginate.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { assistants } from '../../contract/resources/assistants.ts'
import type { BillingPrices } from '../../contract/resources/billing.ts'
import { type Campaign, campaigns } from '../../contract/resources/campaigns.ts'
import { leads } from '../../contract/resources/leads.ts'
import { messaging } from '../../contract/resources/messaging.ts'
import { countSegments } from '../../contract/values/sms-segments.ts'
import type { Context } from '../context.ts'

/** What reads the prices: the context of a command, or a client of the inspector. */
export type PriceContext = Pick<Context, 'call'> & { readonly system: Pick<Context['system'], 'signal'> }

type Fields = Readonly<Record<string, unknown>>
/** Price of contacting one lead once; undefined if it is not known. */
type LeadPrice = (variables: Fields) => number | undefined

/** Statuses of leads that are not contacted again. */
const finished = new Set(['completed', 'reached-max-retries', 'blacklisted'])

/**
 * Returns the highest price of the leads that a campaign has now, in USD: each attempt of each lead, calls with the
 * maximum duration of the assistant, and the fallback. Undefined if a part of it is not known.
 */
export async function campaignPrice(
  context: PriceContext,
  id: number,
  prices: BillingPrices,
): Promise<number | undefined> {
  const { data: it } = await context.call(campaigns.get, { id })
  const [contact, fallback] = await Promise.all([contactPrice(context, it, prices), fallbackPrice(context, it, prices)])
  const { signal } = context.system
  let total = 0
  for await (const lead of paginate<Endpoint, Fields>(context.call, leads.list, { campaign_id: id } as never, {
    all: true,
    signal,
  })) {
    if (finished.has(String(lead.status))) continue
    const variables = (lead.variables ?? {}) as Fields
    const [once, last] = [contact(variables), fallback(variables)]
    if (once === undefined || last === undefined || it.max_retries === null) return undefined
    const { secondary_contacts: others } = lead
    total += (1 + (Array.isArray(others) ? others.length : 0)) * (it.max_retries * once + last)
  }
  return total
}

async function contactPrice(context: PriceContext, it: Campaign, prices: BillingPrices): Promise<LeadPrice> {
  if (it.channel === 'sms') return smsPrice(it.sms_body, prices)
  const price =
    it.channel === 'call'
      ? await maxCallPrice(context, it.assistant_id, prices)
      : await templatePrice(context, it.messaging_sender_id, it.messaging_template_id, prices)
  return () => price
}

async function fallbackPrice(context: PriceContext, it: Campaign, prices: BillingPrices): Promise<LeadPrice> {
  if (it.channel !== 'call' || it.fallback_channel === null || it.fallback_channel === undefined) return () => 0
  if (it.fallback_channel === 'sms') return smsPrice(it.fallback_sms_body, prices)
  const price = await templatePrice(context, it.fallback_messaging_sender_id, it.fallback_messaging_template_id, prices)
  return () => price
}

/** Fills the variables of the lead in, as the platform does, because they change the length. */
const smsPrice =
  (body: string | null, prices: BillingPrices): LeadPrice =>
  (variables) =>
    body === null
      ? undefined
      : countSegments(
          body.replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (given, name: string) => {
            const value = Object.hasOwn(variables, name) ? variables[name] : undefined
            return value === undefined || value === null ? given : String(value)
          }),
        ) * prices.sms_segment

/** Returns the price of a message template by its category; undefined for an unknown template or category. */
export async function templatePrice(
  context: PriceContext,
  senderId: unknown,
  templateId: unknown,
  { messages }: BillingPrices,
): Promise<number | undefined> {
  const { data } = await context.call(messaging.templates, { senderId: Number(senderId), status: 'all' })
  return messages[data.find((it) => it.id === templateId)?.category ?? '']
}

/** Returns the price of the longest call that an assistant allows. */
export async function maxCallPrice(
  context: PriceContext,
  assistantId: unknown,
  { call_minute }: BillingPrices,
): Promise<number | undefined> {
  for await (const it of paginate<Endpoint, Fields>(context.call, assistants.list, {} as never, { all: true }))
    if (it.id === assistantId)
      return typeof it.max_duration === 'number' ? Math.ceil(it.max_duration / 60) * call_minute : undefined
  return undefined
}
