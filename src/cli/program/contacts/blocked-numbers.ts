import { paginate } from '../../../client/paginate.ts'
import { type BlockedContact, contacts, maxListedNumbers } from '../../../contract/resources/contacts.ts'
import type { Context } from '../context.ts'

/** Recipients of a channel, read by their place. */
interface Recipients {
  readonly channel: BlockedContact['channel']
  readonly count: number
  /** Returns a number; undefined if the place has none that is valid. */
  numberOf(place: number): string | undefined
}

/**
 * Reads which recipients have opted out. A long list of recipients is compared with all blocked contacts, and a short one asks for
 * its numbers, whichever needs fewer requests.
 */
export async function findBlockedNumbers(
  context: Context,
  { channel, count, numberOf }: Recipients,
): Promise<ReadonlySet<string>> {
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
  if (count === 0) return blocked
  const { total } = await context.call(contacts.list, { channel, per_page: 1 })
  if (total === 0) return blocked
  if (total <= count) await read({})
  else
    for (let from = 0; from < count; from += maxListedNumbers) {
      const some: string[] = []
      for (let place = from; place < Math.min(count, from + maxListedNumbers); place++) {
        const number = numberOf(place)
        if (number !== undefined) some.push(number)
      }
      if (some.length > 0) await read({ phone_numbers: some.join(',') })
    }
  return blocked
}
