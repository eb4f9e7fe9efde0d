import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import type { Context } from '../../program/context.ts'

/** A lead as the list shows it. */
export type ListedLead = Output<typeof leads.list>['data'][number]

/** Formats a number of leads: `1 lead`, `3 new leads`. */
export const leadsText = (n: number, kind = ''): string => `${n} ${kind}${n === 1 ? 'lead' : 'leads'}`

/** Returns that leads are never contacted, with one of them and its time zones. */
export const neverContactedText = (n: number, phone: string, zones: readonly string[]): string =>
  `${leadsText(n)} cannot be contacted, because no hour is open in all of the time zones, such as ${phone} (${zones.slice(0, 2).join(', ')}${zones.length > 2 ? ` and ${zones.length - 2} more` : ''}).`

/** What to do about leads that are never contacted. */
export const neverContactedHint = 'Change the hours of the campaign, or pass a time zone as a variable.'

/**
 * Names leads that are never contacted, because their time zones have no common hour; undefined without one. The platform
 * sets `contact_hours.state`, whose words are those of the contract.
 */
export function noCommonHourText(all: readonly ListedLead[]): string | undefined {
  const found = all.filter((it) => it.contact_hours?.state === 'no-common-hour')
  const [first] = found
  if (!first?.contact_hours) return undefined
  return neverContactedText(found.length, first.phone_number, first.contact_hours.timezones)
}

/**
 * Warns of leads that are never contacted in the hours of their campaign, after a write without a question. If they
 * cannot be read nothing is said, because the write was carried out.
 */
export async function warnOfNoCommonHour(
  context: Context,
  filter: { readonly campaign_id: number; readonly phone_number?: string },
): Promise<void> {
  if (!(await context.supports('recipient-hours'))) return
  try {
    const { data } = await context.call(leads.list, { ...filter, status: 'created', per_page: maxPerPage })
    const text = noCommonHourText(data)
    if (text !== undefined) await context.notes.warn(`${text} ${neverContactedHint}`)
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
  }
}
