import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { campaigns } from '../../../../contract/resources/campaigns.ts'
import { contacts } from '../../../../contract/resources/contacts.ts'
import { hasLimits, nextOpening, type ZonedHours, zonesOfRecipient } from '../../../../contract/values/contact-hours.ts'
import { loadZonesOfNumbers } from '../../../../contract/values/number-zones.ts'
import { neverContactedHint, neverContactedText } from '../../../nouns/campaigns/no-common-hour.ts'
import type { Context } from '../../../program/context.ts'

/**
 * Warns of numbers that a campaign never contacts, because no hour of the campaign and the account is open in all of their time
 * zones. Says nothing of a campaign whose leads may name their time zone, and where the hours cannot be read.
 */
export async function warnOfNeverContacted(context: Context, id: number, numbers: Iterable<string>): Promise<void> {
  try {
    if (!(await context.supports('recipient-hours'))) return
    const campaign = campaigns.get.output.safeParse(await context.call(campaigns.get, { id })).data?.data
    const hasHours = await context.supports('contact-hours')
    const account = hasHours
      ? contacts.hours.output.safeParse(await context.call(contacts.hours, {})).data?.data
      : undefined
    const isOfRecipient = campaign?.window_timezone === 'recipient'
    if (!campaign || campaign.timezone_variable || !(isOfRecipient || hasLimits(account))) return
    const timezone = campaign.timezone ?? account?.timezone
    const [zonesOf, now] = [await loadZonesOfNumbers(), (await context.platformNow()) * 1000]
    const hoursIn = (zones: readonly string[]): ZonedHours[] => [
      { hours: campaign, zones: isOfRecipient ? zones : [campaign.timezone ?? 'UTC'] },
      ...(hasLimits(account) ? [{ hours: account, zones }] : []),
    ]
    // Most numbers share their zones with many others.
    const known = new Map<string, boolean>()
    let count = 0
    let first: readonly [phone: string, zones: readonly string[]] | undefined
    for (const phone of numbers) {
      const { zones } = zonesOfRecipient(zonesOf, phone, timezone)
      const key = zones.join(' ')
      const isNever = known.get(key) ?? nextOpening(hoursIn(zones), now) === undefined
      known.set(key, isNever)
      if (!isNever) continue
      count++
      first ??= [phone, zones]
    }
    if (first) await context.notes.warn(`${neverContactedText(count, ...first)} ${neverContactedHint}`)
  } catch (error) {
    if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
  }
}
