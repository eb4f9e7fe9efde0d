import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import type { Endpoint, Output } from '../../../contract/endpoint/endpoint.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { contacts } from '../../../contract/resources/contacts.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import { replies } from '../../../contract/resources/replies.ts'
import { sms } from '../../../contract/resources/sms.ts'
import type { Context } from '../context.ts'
import {
  callVerdict,
  campaignVerdict,
  chatVerdict,
  messageVerdict,
  purchaseCost,
  purchaseVerdict,
  unknownVerdict,
  waitingVerdict,
} from './outcome-evidence.ts'
import type { ResolvedOutcome } from './resolved-outcome.ts'

/**
 * A billable endpoint: its noun, the part of its response that is saved, and how its outcome is found without
 * idempotency keys.
 */
export interface BillableOperation {
  readonly endpoint: Endpoint
  readonly noun: string
  /** Returns what `ops reconcile` adds to the `detail` of the entry, which the journal stores and scripts read: fields are added. */
  readonly summarize: (answer: never) => object
  readonly findOutcome: (context: Context, entry: JournalEntry) => Promise<ResolvedOutcome>
  /** Reads what an operation that was carried out cost, in USD, if its response does not say. */
  readonly findCost?: (context: Context, entry: JournalEntry) => Promise<number | undefined>
}

const summarizeMessage = ({
  conversation_id,
  message_id,
  channel_message_id,
  message_sid,
}: Output<typeof messaging.send>): object => ({ conversation_id, message_id, channel_message_id, message_sid })

/**
 * `ops reconcile` settles entries of the journal by it: one whose endpoint is missing here stays unknown, and `billing
 * summary` does not count it. An SMS and a generated reply have no result that can be read: only their keys tell how they
 * ended.
 */
const billableOperations: readonly BillableOperation[] = [
  {
    endpoint: numbers.buy,
    noun: 'purchase',
    summarize: ({ data }: Output<typeof numbers.buy>) => ({ id: data.id, phone_number: data.phone_number }),
    findOutcome: purchaseVerdict,
    findCost: purchaseCost,
  },
  { endpoint: messaging.send, noun: 'message', summarize: summarizeMessage, findOutcome: messageVerdict },
  { endpoint: messaging.sendFreeform, noun: 'message', summarize: summarizeMessage, findOutcome: messageVerdict },
  {
    endpoint: conversations.send,
    noun: 'message',
    summarize: ({ message }: { message: string }) => ({ reply: message }),
    findOutcome: chatVerdict,
  },
  {
    endpoint: replies.generate,
    noun: 'reply',
    summarize: ({ conversation_id }: { conversation_id: string }) => ({ conversation_id }),
    findOutcome: unknownVerdict,
  },
  {
    endpoint: sms.send,
    noun: 'SMS',
    summarize: ({ data }: { data: { sms_sid: string } }) => ({ sms_sid: data.sms_sid }),
    findOutcome: unknownVerdict,
  },
  { endpoint: calls.start, noun: 'call', summarize: () => ({}), findOutcome: callVerdict },
  {
    endpoint: campaigns.updateStatus,
    noun: 'start of the campaign',
    summarize: ({ data }: { data: { status: string } }) => ({ status: data.status }),
    findOutcome: campaignVerdict,
  },
  {
    endpoint: contacts.sendWaiting,
    noun: 'start of what waited',
    summarize: ({ data }: Output<typeof contacts.sendWaiting>) => ({ started_id: data.started_id }),
    findOutcome: waitingVerdict,
  },
]

/** Returns the billable operation of a journal entry; undefined for other entries. */
export const findBillableOperation = (entry: JournalEntry): BillableOperation | undefined =>
  billableOperations.find(({ endpoint }) => endpoint.name === entry.endpoint)
