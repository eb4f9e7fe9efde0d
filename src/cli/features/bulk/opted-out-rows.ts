import { paginate } from '../../../client/paginate.ts'
import { type BlockedContact, contacts, maxListedNumbers } from '../../../contract/resources/contacts.ts'
import type { Context } from '../../program/context.ts'
import type { CheckResult } from './bulk-job.ts'
import type { RowOperation } from './row-operation.ts'

/** The rows of a file whose recipients have opted out of the channel. */
export interface OptedOutRows {
  readonly has: (row: number) => boolean
}

const none: OptedOutRows = { has: () => false }

/**
 * Reads which recipients of a file have opted out, on a platform that knows. A long file is compared with the whole list, and a
 * short one asks for its numbers, whichever needs fewer requests.
 */
export async function findOptedOutRows(
  context: Context,
  { channel }: RowOperation,
  { rows, numbers }: CheckResult,
): Promise<OptedOutRows> {
  if (channel === undefined || rows === 0) return none
  const blocked = new Set<string>()
  const read = async (input: object): Promise<void> => {
    const found = paginate<typeof contacts.list, BlockedContact>(
      context.call,
      contacts.list,
      { channel, ...input },
      { all: true, signal: context.system.signal },
    )
    for await (const page of found.pages()) for (const { phone_number } of page) blocked.add(phone_number)
  }
  const { total } = await context.call(contacts.list, { channel, per_page: 1 })
  if (total === 0) return none
  if (total <= rows) await read({})
  else
    for (let from = 0; from < rows; from += maxListedNumbers) {
      const some: string[] = []
      for (let row = from; row < Math.min(rows, from + maxListedNumbers); row++) {
        const number = numbers.numberOf(row)
        if (number !== undefined) some.push(number)
      }
      if (some.length > 0) await read({ phone_numbers: some.join(',') })
    }
  return { has: (row) => blocked.has(numbers.numberOf(row) ?? '') }
}
