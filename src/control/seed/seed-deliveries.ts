import { hour, type Micros, second } from '../../contract/values/micros.ts'
import { maxDeliveryAttempts, retryDelay } from '../../jobs/webhook-retries.ts'
import { stringifyJson } from '../../node/json.ts'
import { listAssistantIds } from '../../store/assistants/assistants.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertAttempt, insertDelivery } from '../../store/deliveries/deliveries.ts'

interface SeedContext {
  readonly account: number
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
}

/** Time of each attempt after the first: all attempts that a delivery has, with the delays of the platform. */
const attemptTimes: readonly Micros[] = Array.from({ length: maxDeliveryAttempts }).reduce<readonly Micros[]>(
  (times) => [
    ...times,
    (times.at(-1) ?? 0) + (times.length === 0 ? 0 : retryDelay(maxDeliveryAttempts - times.length, undefined)),
  ],
  [],
)
const error = 'The receiver returned status 503.'

/** Inserts the failed delivery of a call to the webhook of the front desk, whose event is no longer stored. */
export async function seedDeliveries(query: Query, { account, now, secrets }: SeedContext): Promise<void> {
  const [assistant = 0] = await listAssistantIds(query, account)
  const at = now - 3 * hour + 41 * second
  const row = await insertDelivery(query, {
    account_id: account,
    outbox_id: 0,
    message_id: `msg_${secrets('delivery of a call', 32)}`,
    event: 'post_call',
    lane: `${account} ${assistant} call 3 post_call`,
    assistant_id: assistant,
    sender_id: null,
    url: 'https://practice.northwind.example/hooks/calls',
    payload: stringifyJson({
      id: 3,
      customer_phone: '+14155550143',
      duration: 41,
      status: 'ended_by_assistant',
      extracted_variables: { reason: 'Opening hours' },
      input_variables: {},
      transcript: [],
      formatted_transcript:
        'AI: Northwind Dental, how can I help you?\nCustomer: When are you open today?\nAI: Until five. Goodbye.',
      recording_url: null,
    }),
    status: 'failed',
    attempts: attemptTimes.length,
    tries_left: 0,
    next_attempt_at: null,
    last_status: 503,
    last_error: error,
    created_at: at,
    finished_at: at + (attemptTimes.at(-1) ?? 0),
  })
  for (const [n, after] of attemptTimes.entries())
    await insertAttempt(query, {
      account_id: account,
      delivery_id: row?.id ?? 0,
      number: n + 1,
      at: at + after,
      status: 503,
      error: null,
      answer: '{"error":"Down for maintenance"}',
      ms: 180 + 20 * n,
    })
}
