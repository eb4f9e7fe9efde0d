import type { JournalEntry } from '../../../client/journal.ts'
import { calls } from '../../../contract/calls.ts'
import { campaigns } from '../../../contract/campaigns.ts'
import { conversations } from '../../../contract/conversations.ts'
import type { Endpoint, Output } from '../../../contract/endpoint.ts'
import { messaging } from '../../../contract/messaging.ts'
import { numbers } from '../../../contract/numbers.ts'
import { replies } from '../../../contract/replies.ts'
import { sms } from '../../../contract/sms.ts'
import type { Context } from '../../context.ts'
import { callVerdict, campaignVerdict, chatVerdict, messageVerdict, purchaseVerdict, silentVerdict } from './asking.ts'
import type { Verdict } from './verdict.ts'

/** An endpoint that spends: what it makes, what of its answer is kept, and how a platform that honours no keys is asked what became of it. */
export interface Spend {
  readonly endpoint: Endpoint
  readonly noun: string
  readonly kept: (answer: never) => object
  readonly ask: (context: Context, entry: JournalEntry) => Promise<Verdict>
}

const messageKept = ({ conversation_id, message_id, message_sid }: Output<typeof messaging.send>): object => ({ conversation_id, message_id, message_sid })

const spends: readonly Spend[] = [
  {
    endpoint: numbers.buy,
    noun: 'purchase',
    kept: ({ data }: Output<typeof numbers.buy>) => ({ id: data.id, phone_number: data.phone_number }),
    ask: purchaseVerdict,
  },
  { endpoint: messaging.send, noun: 'message', kept: messageKept, ask: messageVerdict },
  { endpoint: messaging.sendFreeform, noun: 'message', kept: messageKept, ask: messageVerdict },
  { endpoint: conversations.send, noun: 'message', kept: ({ message }: { message: string }) => ({ reply: message }), ask: chatVerdict },
  {
    endpoint: replies.generate,
    noun: 'reply',
    kept: ({ conversation_id }: { conversation_id: string }) => ({ conversation_id }),
    ask: silentVerdict,
  },
  { endpoint: sms.send, noun: 'SMS', kept: ({ data }: { data: { sms_sid: string } }) => ({ sms_sid: data.sms_sid }), ask: silentVerdict },
  { endpoint: calls.start, noun: 'call', kept: () => ({}), ask: callVerdict },
  {
    endpoint: campaigns.updateStatus,
    noun: 'start of the campaign',
    kept: ({ data }: { data: { status: string } }) => ({ status: data.status }),
    ask: campaignVerdict,
  },
]

export const spendOf = (entry: JournalEntry): Spend | undefined => spends.find(({ endpoint }) => endpoint.name === entry.endpoint)
