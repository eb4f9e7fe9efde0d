import { paginate } from '../../../client/paginate.ts'
import { type Campaign, campaigns } from '../../../contract/resources/campaigns.ts'
import { contacts } from '../../../contract/resources/contacts.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { user } from '../../../contract/resources/user.ts'
import { amountText, usd } from '../../../contract/values/money.ts'
import type { Terms } from '../../program/consent/require-confirmation.ts'
import { findBlockedNumbers } from '../../program/contacts/blocked-numbers.ts'
import type { Context } from '../../program/context.ts'
import { type Billing, readBilling } from '../../program/operations/budget.ts'
import { campaignTerms, leadPrices } from '../../program/operations/campaign-price.ts'
import { type ListedLead, leadsText, noCommonHourText } from './no-common-hour.ts'

/** Maximum number of leads that are read for a question. More leads are only counted. */
const maxReadLeads = 2000

/** Reads the leads that a start would contact first; undefined if there are too many. */
async function readNewLeads(context: Context, id: number): Promise<{ total: number; all?: readonly ListedLead[] }> {
  const query = { campaign_id: id, status: 'created' } as const
  const { total } = await context.call(leads.list, { ...query, per_page: 1 })
  if (total > maxReadLeads) return { total }
  const all: ListedLead[] = []
  const found = paginate<typeof leads.list, ListedLead>(context.call, leads.list, query, {
    all: true,
    signal: context.system.signal,
  })
  for await (const page of found.pages()) all.push(...page)
  return { total: all.length, all }
}

/** Reads what is decided on: leads, channel, price and content. The total is not known: it depends on who answers. */
export async function readStartTerms(context: Context, id: number): Promise<Terms> {
  const [{ data: campaign }, { total, all }, { total_balance: balance }, billing] = await Promise.all([
    context.call(campaigns.get, { id }),
    readNewLeads(context, id),
    context.call(user.me, {}),
    readBilling(context),
  ])
  const { channel, name } = campaign
  const terms = await campaignTerms(context, campaign, billing.prices ?? undefined)
  const { 'The price': price, 'The price of the fallback': fallback } = terms
  const blocked = all && (await findBlockedNumbers(context, recipientsOf(channel, all)))
  const optedOut = all?.filter((it) => blocked?.has(it.phone_number)).length ?? 0
  // Another platform does not know the list of this computer.
  const isSkipped = optedOut > 0 && (await context.supports('opt-outs'))
  const reached = isSkipped ? all?.filter((it) => !blocked?.has(it.phone_number)) : all
  const skipped = isSkipped ? optedOut : 0
  const sentences = [
    ...(optedOut > 0 ? [optedOutText(optedOut, total, isSkipped)] : []),
    `It ${channel === 'call' ? 'calls' : 'messages'} ${leadsText(total - skipped, 'new ')}, each charged to your balance of ${amountText(Number(balance), billing.unit)}.`,
    `Price: ${price}${fallback === undefined ? '' : `; of the fallback: ${fallback}`}.`,
    ...(all ? [] : ['How many of them have opted out, and are skipped, was not read.']),
    ...(reached ? await costTexts(context, { campaign, reached, balance: Number(balance), billing }) : []),
    ...(await hoursTexts(context, campaign, reached ?? [])),
  ]
  const effect = sentences.join(' ')
  return {
    question: `${effect} Start campaign "${name}" (${id})?`,
    refusalMessage: `Starting campaign "${name}" (${id}) is charged to the balance and requires confirmation. ${effect}`,
    // Names begin a sentence if a value changes while the question is open: "The price changed from ... to ...".
    terms: {
      ...terms,
      'The channel': channel,
      'The number of new leads': String(total),
      ...(all && { 'The number of skipped leads': String(skipped) }),
    },
  }
}

const recipientsOf = (channel: Campaign['channel'], all: readonly ListedLead[]) => ({
  channel,
  count: all.length,
  numberOf: (place: number) => all[place]?.phone_number,
})

const optedOutText = (count: number, total: number, isSkipped: boolean): string =>
  isSkipped
    ? `${count} of ${leadsText(total, 'new ')} skipped: ${count} opted out.`
    : `${count} of ${leadsText(total, 'new ')} opted out on this computer only: the platform contacts them, too.`

interface StartCost {
  readonly campaign: Campaign
  readonly reached: readonly ListedLead[]
  readonly balance: number
  readonly billing: Billing
}

/** Says what the leads cost together, and whether the balance is enough. Empty if the prices are not known. */
async function costTexts(context: Context, { campaign, reached, balance, billing }: StartCost): Promise<string[]> {
  if (!billing.prices || reached.length === 0) return []
  const priceOf = await leadPrices(context, campaign, billing.prices)
  let [onceUsd, highestUsd] = [0, 0]
  for (const lead of reached) {
    const cost = priceOf(lead)
    if (!cost) return []
    onceUsd += cost.onceUsd
    highestUsd += cost.highestUsd
  }
  // How long a call lasts is not known, so only the highest price of calls is.
  const isCall = campaign.channel === 'call'
  const once = isCall ? '' : `${usd(onceUsd)} if each gets one message, `
  const cost = `Cost: ${once}at most ${usd(highestUsd)} with all attempts${isCall ? ' and the longest calls' : ''}.`
  if (billing.unit !== 'usd' || highestUsd <= balance) return [cost]
  return [
    cost,
    !isCall && onceUsd > balance
      ? 'The balance does not cover one message to each.'
      : 'The balance does not cover the highest cost.',
  ]
}

/** Says what is unusual about the hours of a campaign. */
async function hoursTexts(context: Context, campaign: Campaign, all: readonly ListedLead[]): Promise<string[]> {
  const never = noCommonHourText(all)
  return [
    ...(campaign.channel === 'call' && hasAllHours(campaign) && !(await hasAccountHours(context))
      ? ['It calls at any hour of the day and night.']
      : []),
    ...(never === undefined ? [] : [never]),
  ]
}

const hasAllHours = ({ schedule_windows, allowed_hours_start_time, allowed_hours_end_time }: Campaign): boolean =>
  (schedule_windows ?? []).length === 0 &&
  (allowed_hours_start_time ?? '00:00') === '00:00' &&
  (allowed_hours_end_time ?? '23:59') === '23:59'

/** Returns whether the account limits the hours of all campaigns. */
async function hasAccountHours(context: Context): Promise<boolean> {
  if (!(await context.supports('contact-hours'))) return false
  const { data } = await context.call(contacts.hours, {})
  return data.schedule_windows !== null
}
