import { localToMillis, zoneOffsetMs } from '../../contract/values/zone-offset.ts'
import type { LocalMillis } from './date-format.ts'
import { StepFailure } from './step-failure.ts'

export const dayMs = 86_400_000
export const minuteMs = 60_000
/** Milliseconds of a unit. Years and months have a fixed length here, as in the public piece. */
export const unitMs = {
  year: 365 * dayMs,
  month: 30 * dayMs,
  day: dayMs,
  hour: 60 * minuteMs,
  minute: minuteMs,
  second: 1000,
}
type Unit = keyof typeof unitMs

const maxExpressionLength = 500

/** Returns the local time of a zone. */
export const toLocal = (ms: number, timeZone: string): LocalMillis => ms + zoneOffsetMs(ms, timeZone)
/** Returns midnight of a local time. */
export const dayOf = (local: LocalMillis): LocalMillis => Math.floor(local / dayMs) * dayMs

/** Adds months to a local time. A day that the month does not have becomes its last day. */
function addMonths(local: LocalMillis, count: number): LocalMillis {
  const date = new Date(local)
  const target = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate()
  return target + (Math.min(date.getUTCDate(), lastDay) - 1) * dayMs + (local - dayOf(local))
}

/** Applies an expression such as `+ 1 year - 3 day`. A sign holds until the next one. @throws StepFailure */
export function addExpression(ms: number, expression: string, timeZone: string): number {
  if (expression.length > maxExpressionLength)
    throw new StepFailure(`expression can have at most ${maxExpressionLength} characters.`)
  const parts = [...expression.matchAll(/([+-])|(\d+)\s*([a-z]+)/gi)]
  const rest = expression.replace(/[+-]|\d+\s*[a-z]+/gi, '').trim()
  if (rest !== '' || !parts.some((it) => it[2] !== undefined))
    throw new StepFailure('expression must have numbers and units, for example "+ 1 day - 2 hour".')
  let sign = 1
  let at = ms
  for (const [, operator, count, name = ''] of parts) {
    if (operator !== undefined) {
      sign = operator === '-' ? -1 : 1
      continue
    }
    const unit = name.toLowerCase().replace(/s$/, '') as Unit
    if (!(unit in unitMs))
      throw new StepFailure(`expression has the unit "${name}". Use ${Object.keys(unitMs).join(', ')}.`)
    const amount = sign * Number(count)
    if (unit === 'year' || unit === 'month')
      at = localToMillis(addMonths(toLocal(at, timeZone), unit === 'year' ? amount * 12 : amount), timeZone)
    else if (unit === 'day') at = localToMillis(toLocal(at, timeZone) + amount * dayMs, timeZone)
    else at += amount * unitMs[unit]
    if (Number.isNaN(new Date(at).getTime())) throw new StepFailure('expression leads to a date that is too far away.')
  }
  return at
}
