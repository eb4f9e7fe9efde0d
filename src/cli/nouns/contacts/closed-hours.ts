import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { timeZone } from '../../../contract/endpoint/field-schemas.ts'
import { wireCode } from '../../../contract/errors/failures.ts'
import { contacts, type WaitingContact } from '../../../contract/resources/contacts.ts'
import { findClosed, hasLimits, nextOpening, zonesOfRecipient } from '../../../contract/values/contact-hours.ts'
import { loadZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import type { CommandInput } from '../../program/commandline/command.ts'
import { requireNotBlockedLocally, sends } from '../../program/contacts/local-contacts.ts'
import { unknownText } from '../../program/contacts/unknown-text.ts'
import type { Context } from '../../program/context.ts'
import { describeTime, localTime, parseTime } from '../../program/output/time.ts'
import { safeText } from '../../program/terminal/safe-text.ts'

/** What says when something that waits is sent, as the platform shows it. A platform may leave something out. */
type Closing = Partial<Pick<WaitingContact, 'opens_at' | 'timezones' | 'timezone_source' | 'closed_by' | 'closed_in'>>

/**
 * Why hours are closed, by `closed_by` of the contract. One that this version does not know is printed as the platform has
 * it.
 */
const reasons: Readonly<Record<string, string>> = {
  holiday: 'a holiday',
  day: 'not an allowed day',
  hours: 'outside the hours',
}

/** Returns when hours open for the recipient: `2026-12-01 09:00 Europe/Berlin`; with several time zones the first of them. */
export function recipientTime({ opens_at, timezones }: Closing): string | null {
  const at = typeof opens_at === 'string' ? parseTime(opens_at) : undefined
  const [zone, ...others] = Array.isArray(timezones) ? timezones : []
  if (at === undefined || !timeZone.safeParse(zone).success) return null
  return `${localTime(at, zone)} ${zone}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

/** Returns why hours are closed: `a holiday in Europe/Berlin, the time zone of the number`; null if they are not. */
export function closingText({ closed_by, closed_in, timezones, timezone_source }: Closing): string | null {
  if (typeof closed_by !== 'string') return null
  const one = Array.isArray(timezones) && timezones.length > 1 ? 'one of the time zones' : 'the time zone'
  const source = timezone_source === 'account' ? 'the time zone of the account' : `${one} of the number`
  return `${reasons[closed_by] ?? safeText(closed_by)} in ${safeText(String(closed_in))}, ${source}`
}

/**
 * Returns that a send or call would wait for the contact hours, until when and why, or would be refused because they never open.
 * Undefined if it starts at once. @throws ClientFailure if the hours cannot be read
 */
async function findWaitingText(context: Context, phone: string, now: unknown): Promise<string | undefined> {
  if (now === true || !(await context.supports('contact-hours'))) return undefined
  const hours = contacts.updateHours.body.safeParse((await context.call(contacts.hours, {})).data).data
  if (!hours || !hasLimits(hours)) return undefined
  const { zones, source } = zonesOfRecipient(await loadZonesOfNumbers(), phone, hours.timezone)
  const at = (await context.platformNow()) * 1000
  const closed = findClosed([{ hours, zones }], at)
  if (!closed) return undefined
  const opening = nextOpening([{ hours, zones }], at)
  if (opening === undefined)
    return 'It would be refused: in the next two months, the contact hours are not open in all time zones of the number at any time. With --now it is sent at once.'
  const opens_at = new Date(opening / 1000).toISOString()
  const { reason: closed_by, zone: closed_in } = closed
  const closing = { opens_at, timezones: [...zones], timezone_source: source, closed_by, closed_in }
  const { profile } = await context.settings()
  const reserved = profile.budget === undefined ? '' : ' Its price is reserved in the budget of the profile.'
  return `It would wait until ${recipientTime(closing)} (${describeTime(opens_at)}): now is ${closingText(closing)}. With --now it is sent at once.${reserved}`
}

/** Returns what `findWaitingText` returns, for a question; undefined where the hours cannot be read. */
export async function readWaitingText(context: Context, phone: string, now: unknown): Promise<string | undefined> {
  try {
    return await findWaitingText(context, phone, now)
  } catch (error) {
    if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
    return undefined
  }
}

/**
 * Returns that a send or call would be refused, because its recipient has opted out. @throws ClientFailure if that cannot be
 * read
 */
async function findBlockText(
  context: Context,
  endpoint: Endpoint,
  input: CommandInput,
  phone: string,
): Promise<string | undefined> {
  const refused = `It would be refused: the recipient has opted out. See the reason: parley contacts list --phone-number ${phone}`
  if (await context.supports('opt-outs')) {
    const channel = sends[endpoint.name]?.[0]
    const { total } = await context.call(contacts.list, { channel, phone_numbers: phone, per_page: 1 })
    return total > 0 ? refused : undefined
  }
  try {
    await requireNotBlockedLocally(context, endpoint, input)
    return undefined
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== wireCode('contacts.blocked')) throw error
    return refused
  }
}

/** Says after a dry run that the send or call would be refused or would wait, or that this could not be read. */
export async function noteOutlook(context: Context, endpoint: Endpoint, input: CommandInput): Promise<void> {
  const phone = input[sends[endpoint.name]?.[1] ?? '']
  if (!context.globals.dryRun || typeof phone !== 'string') return
  try {
    const text =
      (await findBlockText(context, endpoint, input, phone)) ?? (await findWaitingText(context, phone, input.now))
    if (text !== undefined) await context.notes.note(text)
  } catch (error) {
    if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
    await context.notes.note(
      unknownText(
        ['whether the recipient has opted out', 'whether it would wait for the contact hours', 'its price'],
        error,
      ),
    )
  }
}
