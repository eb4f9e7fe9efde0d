import { findBlockedNumbers } from '../../program/contacts/blocked-numbers.ts'
import type { Context } from '../../program/context.ts'
import type { CheckResult } from './bulk-job.ts'
import type { RowOperation } from './row-operation.ts'

/** The rows of a file whose recipients have opted out of the channel. */
export interface OptedOutRows {
  readonly has: (row: number) => boolean
}

/** Reads which recipients of a file have opted out, on a platform that knows. */
export async function findOptedOutRows(
  context: Context,
  { channel }: RowOperation,
  { rows, numbers }: CheckResult,
): Promise<OptedOutRows> {
  if (channel === undefined) return { has: () => false }
  const blocked = await findBlockedNumbers(context, { channel, count: rows, numberOf: numbers.numberOf })
  return { has: (row) => blocked.has(numbers.numberOf(row) ?? '') }
}
