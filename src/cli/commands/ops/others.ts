import type { Journal, JournalEntry } from '../../../client/journal.ts'
import { calls } from '../../../contract/calls.ts'
import { campaigns } from '../../../contract/campaigns.ts'
import { conversations } from '../../../contract/conversations.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { replies } from '../../../contract/replies.ts'
import { sms } from '../../../contract/sms.ts'
import type { Context } from '../../context.ts'
import { recall, recalls } from './recall.ts'

/** Other spends: what each is, and what of its answer is worth keeping. */
const spends: readonly (readonly [endpoint: Endpoint, thing: string, told: (answer: never) => object])[] = [
  [conversations.send, 'message', ({ message }: { message: string }) => ({ reply: message })],
  [replies.generate, 'reply', ({ conversation_id }: { conversation_id: string }) => ({ conversation_id })],
  [sms.send, 'SMS', ({ data }: { data: { sms_sid: string } }) => ({ sms_sid: data.sms_sid })],
  [calls.start, 'call', () => ({})],
  [campaigns.updateStatus, 'start of the campaign', ({ data }: { data: { status: string } }) => ({ status: data.status })],
]

const spendOf = (it: JournalEntry) => spends.find(([{ name }]) => name === it.endpoint)

export const isOther = (it: JournalEntry): boolean => spendOf(it) !== undefined

/** Settles them by what a platform of ours answered to their keys. Any other one would do them again, and shows nothing of a single one: there they stay unknown. */
export async function reconcileOthers(context: Context, journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  if (await recalls(context)) {
    for (const entry of entries) {
      const [endpoint, thing, told] = spendOf(entry) as (typeof spends)[number]
      await recall(context, journal, entry, endpoint, thing, told)
    }
    return
  }
  for (const entry of entries) journal.settle(entry.id, 'unknown')
  await context.notes.note('This platform does not tell what became of a single message, SMS, call or start of a campaign; look for it before doing it again.')
}
