import { timeZone } from '../../../contract/endpoint/field-schemas.ts'
import type { ContactHours } from '../../../contract/resources/contacts.ts'
import type { LeadHours } from '../../../contract/resources/leads.ts'
import { hasLimits, nextOpening, type ZonedHours } from '../../../contract/values/contact-hours.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { loadZonesOfNumbers, type ZonesOfNumber, zonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { parseJson } from '../../../node/json.ts'
import { deferLeads, type LeadRow } from '../../store/campaigns/leads.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { CampaignFields } from './campaign-fields.ts'
import { waitingLeads } from './status-transitions.ts'

/** The settings of a campaign that decide when it contacts a lead. */
export type HoursSettings = Partial<
  Pick<
    CampaignFields,
    | 'timezone'
    | 'schedule_windows'
    | 'allowed_hours_start_time'
    | 'allowed_hours_end_time'
    | 'allowed_days'
    | 'holidays'
    | 'window_timezone'
    | 'timezone_variable'
    | 'fallback_channel'
  >
>

/** The lead as far as its hours depend on it. */
type LeadAddress = Pick<LeadRow, 'phone_number' | 'variables'>

/** Time zones in which a lead may be. */
interface LeadZones {
  readonly timezones: readonly string[]
  readonly source: LeadHours['timezone_source']
  /** Value of the variable that is ignored because no time zone has this name. */
  readonly invalid: string | null
}

/** Tells when the leads of one campaign may be contacted. */
export interface HoursOfLeads {
  zonesOf(lead: LeadAddress): LeadZones
  /** Returns whether a lead may still be contacted, if only by the message that follows unanswered calls. */
  isContacted(lead: Pick<LeadRow, 'status' | 'fallback_sent_at'>): boolean
  /** Returns when a lead may be contacted: `now` for at once, undefined if its time zones have no common hour. */
  openingOf(lead: LeadAddress, now: Micros): Micros | undefined
}

/** Returns the hours of a campaign in the zone of the campaign. */
export const campaignHours = (settings: HoursSettings): ZonedHours[] => [
  { hours: settings, zones: [settings.timezone ?? 'UTC'] },
]

/**
 * Returns the hours of each lead, of its campaign and of the account; undefined if the campaign evaluates its hours in its own
 * zone, and the account has none.
 */
export async function hoursOfLeads(
  settings: HoursSettings,
  account: ContactHours | undefined,
): Promise<HoursOfLeads | undefined> {
  return dependOnLead(settings, account) ? readHours(settings, account, await loadZonesOfNumbers()) : undefined
}

/** As `hoursOfLeads`, in a transaction, whose caller is `withZonesOfNumbers`. */
export const hoursInTransaction = (
  settings: HoursSettings,
  account: ContactHours | undefined,
): HoursOfLeads | undefined =>
  dependOnLead(settings, account) ? readHours(settings, account, zonesOfNumbers()) : undefined

const dependOnLead = (settings: HoursSettings, account: ContactHours | undefined): boolean =>
  settings.window_timezone === 'recipient' || hasLimits(account)

function readHours(
  settings: HoursSettings,
  ofAccount: ContactHours | undefined,
  zonesOfNumber: ZonesOfNumber,
): HoursOfLeads {
  const account = hasLimits(ofAccount) ? ofAccount : undefined
  const ownZone = settings.timezone ?? account?.timezone ?? 'UTC'
  // Most leads share their zones with many others.
  const openings = new Map<string, Micros | undefined>()

  function zonesOf({ phone_number, variables }: LeadAddress): LeadZones {
    const { timezone_variable: name } = settings
    const given = name ? parseJson(variables)[name] : undefined
    const text = given === undefined || given === null || given === '' ? null : String(given)
    if (text !== null && timeZone.safeParse(text).success)
      return { timezones: [text], source: 'variable', invalid: null }
    const timezones = zonesOfNumber(phone_number)
    return timezones.length > 0
      ? { timezones, source: 'number', invalid: text }
      : { timezones: [ownZone], source: 'campaign', invalid: text }
  }

  return {
    zonesOf,
    isContacted: ({ status, fallback_sent_at }) =>
      waitingLeads.includes(status) ||
      status === 'processing' ||
      (status === 'reached-max-retries' && Boolean(settings.fallback_channel) && fallback_sent_at === null),
    openingOf(lead, now) {
      const zones = zonesOf(lead).timezones
      const key = `${now} ${zones.join(' ')}`
      if (!openings.has(key)) {
        const ofCampaign =
          settings.window_timezone === 'recipient' ? [{ hours: settings, zones }] : campaignHours(settings)
        openings.set(key, nextOpening([...ofCampaign, ...(account ? [{ hours: account, zones }] : [])], now))
      }
      return openings.get(key)
    },
  }
}

/**
 * Lets due leads whose hours are closed wait until they open, in the caller's transaction. The attempt does not count. Returns
 * the ids of these leads. One without a common hour is evaluated again after a day.
 */
export async function deferClosedLeads(
  query: AccountQuery,
  hours: HoursOfLeads | undefined,
  due: readonly LeadRow[],
  now: Micros,
): Promise<ReadonlySet<number>> {
  const closed = new Map<Micros, number[]>()
  for (const lead of hours ? due : []) {
    const opening = hours?.openingOf(lead, now) ?? now + day
    if (opening > now) closed.set(opening, [...(closed.get(opening) ?? []), lead.id])
  }
  for (const [opening, ids] of closed) await deferLeads(query, ids, opening)
  return new Set([...closed.values()].flat())
}
