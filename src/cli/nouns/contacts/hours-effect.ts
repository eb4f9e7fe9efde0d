import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import type { Input } from '../../../contract/endpoint/endpoint.ts'
import { contacts, type WaitingContact } from '../../../contract/resources/contacts.ts'
import { user } from '../../../contract/resources/user.ts'
import { nextOpening, zonesOfRecipient } from '../../../contract/values/contact-hours.ts'
import { usd } from '../../../contract/values/money.ts'
import { loadZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { countOf } from '../../program/output/named-items.ts'

/** What a change of the hours does to what waits. */
interface HoursEffect {
  /** The hours before the change. */
  readonly before: Input<typeof contacts.updateHours>
  readonly waiting: number
  /** How many start at once, and the most that they cost in USD; null if that is not known of one of them. */
  readonly starting: number
  readonly maxCost: number | null
  /** How many end as failed, because their hours never open. */
  readonly failing: number
  /** Whether the account is stopped: nothing starts before it is resumed. */
  readonly isStopped: boolean
}

/**
 * Reads what waits, and evaluates the new hours for each. Returns undefined for hours that the platform will refuse, and in a preview
 * that cannot read them.
 */
export async function readHoursEffect(
  context: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<HoursEffect | undefined> {
  const change = contacts.updateHours.body.safeParse(input)
  if (!change.success) return undefined
  try {
    if (!(await context.supports('contact-hours'))) return undefined
    const before = contacts.updateHours.body.safeParse((await context.call(contacts.hours, {})).data).data
    if (!before) return undefined
    const found = paginate<typeof contacts.waiting, WaitingContact>(
      context.call,
      contacts.waiting,
      {},
      { all: true, signal: context.system.signal },
    )
    const hours = { ...before, ...change.data }
    const [zonesOf, now] = [await loadZonesOfNumbers(), (await context.platformNow()) * 1000]
    let [waiting, starting, failing] = [0, 0, 0]
    let maxCost: number | null = 0
    for await (const { phone_number, max_cost } of found) {
      waiting++
      const { zones } = zonesOfRecipient(zonesOf, String(phone_number), hours.timezone)
      const opening = nextOpening([{ hours, zones }], now)
      if (opening === undefined) failing++
      if (opening !== now) continue
      starting++
      maxCost = maxCost === null || typeof max_cost !== 'number' ? null : maxCost + max_cost
    }
    const isStopped =
      waiting > 0 &&
      (await context.supports('stop')) &&
      (await context.call(user.activity, {})).data.stopped_at !== null
    return { before, waiting, starting, maxCost, failing, isStopped }
  } catch (error) {
    if (context.globals.dryRun && error instanceof ClientFailure && !context.system.signal.aborted) return undefined
    throw error
  }
}

const sends = (n: number): string => countOf(n, 'send or call', 'sends and calls')

/** Returns what starts at once or fails by the change, for the question; undefined if nothing does. */
export function effectText({ waiting, starting, maxCost, failing, isStopped }: HoursEffect): string | undefined {
  const parts = [
    ...(starting > 0 && !isStopped
      ? [
          `${starting} of ${sends(waiting)} that ${waiting === 1 ? 'waits' : 'wait'} ${starting === 1 ? 'starts' : 'start'} at once, which costs ${maxCost === null ? 'an amount that is not known in advance' : `at most ${usd(maxCost)}`}.`,
        ]
      : []),
    ...(failing > 0
      ? [
          `${failing} of ${sends(waiting)} that ${waiting === 1 ? 'waits' : 'wait'} ${failing === 1 ? 'ends' : 'end'} as failed, because no hour is open in all time zones of the number.`,
        ]
      : []),
  ]
  return parts.length > 0 ? parts.join(' ') : undefined
}

/** Returns what happens to what waited, as a sentence after another one; empty if nothing did. */
export function waitedText({ waiting, starting, failing, isStopped }: HoursEffect): string {
  if (waiting === 0) return ''
  const waited = ` ${sends(waiting)} waited:`
  if (isStopped) return `${waited} each waits until everything is resumed: parley resume.`
  const left = waiting - starting - failing
  const parts = [
    ...(starting > 0 ? [`${starting} ${starting === 1 ? 'starts' : 'start'} now`] : []),
    ...(failing > 0 ? [`${failing} ${failing === 1 ? 'ends' : 'end'} as failed`] : []),
    ...(left > 0 ? [`${left} ${left === 1 ? 'waits' : 'wait'} until the hours open`] : []),
  ]
  return `${waited} ${parts.join(', ')}. See: parley contacts waiting.`
}

/**
 * Returns the command that restores what a change replaced. It is pasted, so that its flags are those of
 * `contacts update-hours`.
 */
export function restoringCommand({ before }: HoursEffect, input: Readonly<Record<string, unknown>>): string {
  const flags = {
    '--schedule-windows': before.schedule_windows && stringifyJson(before.schedule_windows),
    '--allowed-days': before.allowed_days?.join(','),
    '--holidays': before.holidays?.join(','),
    '--timezone': before.timezone,
  }
  const changed = Object.entries(flags).filter(([flag]) => Object.hasOwn(input, flag.slice(2).replaceAll('-', '_')))
  return commandLine(['contacts', 'update-hours', ...changed.flatMap(([flag, value]) => [flag, value || 'null'])])
}
