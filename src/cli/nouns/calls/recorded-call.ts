import type { Call } from '../../../contract/resources/calls.ts'
import { messagesOf, type RecordedConversation } from '../conversations/scenario-from-transcript.ts'

/** Words of `end_reason` in scenario files by the status of a call. */
export const endReasons: Readonly<Record<string, string>> = {
  ended_by_assistant: 'assistant',
  ended_by_customer: 'customer',
  completed: 'customer',
}

/**
 * Returns what is recorded about a call, for a scenario and for a judgement. The file of a scenario has others in place of
 * the values in `people` and `variables`: one that is missing here is written to it.
 */
export const recordedCall = (call: Call): Omit<RecordedConversation, 'name'> => ({
  assistant: call.assistant_name ?? '',
  channel: 'call',
  messages: messagesOf(call.transcript ?? ''),
  variables: call.variables as Readonly<Record<string, unknown>>,
  people: { phone: call.client_phone_number ?? '' },
  extracted: call.evaluation,
  endReason: endReasons[call.status] ?? 'customer',
  direction: call.type === 'outbound' ? 'outbound' : 'inbound',
})
