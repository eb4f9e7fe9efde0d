import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type Campaign, campaigns } from '../../../contract/resources/campaigns.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { nextOpening } from '../../../contract/values/contact-hours.ts'
import { waitingLeadStatuses } from '../../../contract/values/states.ts'
import type { Context } from '../../program/context.ts'
import { describeTime, parseTime } from '../../program/output/time.ts'
import { safeText } from '../../program/terminal/safe-text.ts'

/** Maximum number of campaigns whose leads are read, and of leads that are read of each. */
const limits = { campaigns: 10, leads: 100 } as const

/** Statuses of leads that a campaign contacts when the hours are open. */
const waitingStatuses: ReadonlySet<string> = new Set(waitingLeadStatuses)

/** Returns how many leads of a campaign wait for the hours, and until when, in a sentence; undefined if none do. */
async function waitingText({ call }: Context, campaign: Campaign, now: number): Promise<string | undefined> {
  const { id, name, timezone } = campaign
  const opening = nextOpening([{ hours: campaign, zones: [timezone ?? 'UTC'] }], now * 1000)
  const { data, total } = await call(leads.list, { campaign_id: id, per_page: limits.leads })
  const openings = data.flatMap(({ status, contact_hours: hours }) => {
    if (!waitingStatuses.has(status)) return []
    // A lead has hours of its own only if they depend on its time zone.
    if (hours) return hours.state === 'open' ? [] : [hours.opens_at === null ? undefined : parseTime(hours.opens_at)]
    return opening === now * 1000 ? [] : [opening === undefined ? undefined : opening / 1000]
  })
  if (openings.length === 0) return undefined
  const known = openings.filter((it) => it !== undefined)
  const until = known.length === 0 ? '' : ` until ${describeTime(new Date(Math.min(...known)).toISOString())} or later`
  const of = total > data.length ? ` of the newest ${data.length} of ${total}` : ''
  return `Campaign "${safeText(name)}" (${id}): ${openings.length}${of} ${openings.length === 1 && of === '' ? 'lead waits' : 'leads wait'}${until}. See: parley leads list --campaign ${id}`
}

/**
 * Says which running campaigns have leads that wait for the hours. As these are further requests, only a person at a terminal gets
 * it, and it never fails the list.
 */
export async function noteWaitingLeads(context: Context, channel: unknown): Promise<void> {
  if (!context.interactive || !context.out.isForPeople) return
  try {
    const running = (await context.call(campaigns.list, {})).filter(
      (it) => it.status === 'in-progress' && (channel === undefined || it.channel === channel),
    )
    const now = await context.platformNow()
    for (const campaign of running.slice(0, limits.campaigns)) {
      const text = await waitingText(context, campaign, now)
      if (text !== undefined) await context.notes.note(text)
    }
    const more = running.length - limits.campaigns
    if (more > 0) await context.notes.note(`The leads of ${more} more running campaigns were not read.`)
  } catch (error) {
    if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
  }
}
