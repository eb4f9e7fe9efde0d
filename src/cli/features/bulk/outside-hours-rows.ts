import { contacts } from '../../../contract/resources/contacts.ts'
import { hasLimits, nextOpening, zonesOfRecipient } from '../../../contract/values/contact-hours.ts'
import { loadZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import type { Context } from '../../program/context.ts'
import type { CheckResult } from './bulk-job.ts'
import type { RowOperation } from './row-operation.ts'

/**
 * Returns for how many rows to send the contact hours are closed now, on a platform that has them: these rows wait there. Nothing
 * waits that is sent now, and nothing whose hours never open, which is refused.
 */
export async function countOutsideHours(
  context: Context,
  { channel, bodyOf }: RowOperation,
  { rows, numbers }: CheckResult,
  isToSend: (row: number) => boolean,
): Promise<number> {
  if (channel === undefined || rows === 0 || bodyOf({}, {}).now === true) return 0
  if (!(await context.supports('contact-hours'))) return 0
  const { data: hours } = await context.call(contacts.hours, {})
  if (!hasLimits(hours)) return 0
  const zonesOf = await loadZonesOfNumbers()
  const now = (await context.platformNow()) * 1000
  // Most numbers share their zones with many others.
  const known = new Map<string, boolean>()
  let outside = 0
  for (let row = 0; row < rows; row++) {
    if (!isToSend(row)) continue
    const { zones } = zonesOfRecipient(zonesOf, numbers.numberOf(row) ?? '', hours.timezone)
    const key = zones.join(' ')
    const waits = known.get(key) ?? (nextOpening([{ hours, zones }], now) ?? now) > now
    known.set(key, waits)
    if (waits) outside++
  }
  return outside
}
