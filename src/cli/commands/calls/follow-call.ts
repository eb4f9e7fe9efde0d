import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { type Call, calls } from '../../../contract/resources/calls.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { usd } from '../../../contract/values/money.ts'
import type { Context } from '../../context.ts'
import { interruptedExit } from '../../errors/interrupted-exit.ts'
import { formatValue } from '../../output/format-value.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { safeText } from '../../terminal/safe-text.ts'
import { view } from './view.ts'

const pollIntervalMs = 1000

const unreached: ReadonlySet<string> = new Set(['busy', 'no-answer', 'failed'])
/** Returns whether a call ended without reaching the customer. */
export const isUnreached = ({ status }: Call): boolean => unreached.has(status)

/** A call with another status has ended, also with one that this version does not know. */
const inProgress: ReadonlySet<string> = new Set(['initiated', 'queued', 'ringing', 'in-progress'])
/** Returns whether a call has not ended. */
export const isInProgress = ({ status }: Call): boolean => inProgress.has(status)

/**
 * Prints status changes and the growing transcript of a call until it has ended, then its duration, cost and variables.
 * Programs get the ended call as one record. Returns `finding` when the customer was not reached.
 */
export async function followCall(context: Context, id: number, first: Call): Promise<ExitName> {
  const { out, system } = context
  const isRecord = out.settings.form !== 'table' || out.settings.fields !== undefined
  let call = first
  let shownStatus = ''
  let shownText = ''
  const show = async (): Promise<void> => {
    const text = typeof call.transcript === 'string' ? call.transcript : ''
    if (call.status !== shownStatus) await out.line(`${timeText(out, call.updated_at)}  ${shown(call.status)}`)
    // A transcript normally only grows. One that was rewritten is printed again as a whole.
    const fresh = text.startsWith(shownText) ? text.slice(shownText.length) : text
    if (fresh.trim() !== '') await system.streams.stdout.write(`${safeText(fresh.trim())}\n`)
    shownStatus = call.status
    shownText = text
  }
  while (!system.signal.aborted) {
    if (!isRecord) await show()
    if (!isInProgress(call)) {
      if (isRecord) await out.record(call, itemShape({ endpoint: calls.get, view: view as never }) as never)
      else await printSummary(context, id, call)
      return isUnreached(call) ? 'finding' : 'done'
    }
    await context.pause(pollIntervalMs)
    if (!system.signal.aborted) call = await context.call(calls.get, { id })
  }
  return interruptedExit(system.signal)
}

/** Formats a value of a platform, which may have another type than the contract says. */
const shown = (value: unknown): string =>
  formatValue(value, undefined, { utc: true, now: 0, computerNow: 0, relative: false, lines: false })

/** Formats a time as in records. */
const timeText = ({ settings }: Context['out'], value: unknown): string =>
  formatValue(value, 'time', { ...settings, relative: false, lines: false })

async function printSummary(
  { out, notes }: Context,
  id: number,
  { duration, total_cost, variables }: Call,
): Promise<void> {
  const cost = Number.isFinite(Number(total_cost)) ? usd(Number(total_cost)) : shown(total_cost)
  await out.line(`Call ${id} ended after ${shown(duration)} s. Cost: ${cost}`)
  const values = isObject(variables) ? Object.entries(variables) : []
  if (values.length > 0)
    await out.line(`Variables: ${values.map(([name, value]) => `${shown(name)}=${shown(value)}`).join(', ')}`)
  await notes.note(`Next: parley calls get ${id}`)
}
