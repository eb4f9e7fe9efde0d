import { Failure, failures } from '../../contract/errors/failures.ts'
import { parseJson } from '../../node/json.ts'
import type { CallCarrier, CarrierCall } from '../../providers/ports/call-carrier.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import type { Query } from '../../store/database/connection.ts'
import { fillVariables } from '../assistants/assistant-variables.ts'
import { assistantVariables, parsePersona } from '../conversations/chat-turns.ts'

/** Returns the refusal to stop a call that has ended, which names its status. */
export const callOver = (status: string): Failure =>
  new Failure('calls.over', { text: failures['calls.over'].text.replace('{status}', () => status) })

/** Returns the call for the carrier. An assistant that was deleted has no opening. */
export async function toCarrierCall(query: Query, row: PhoneCallRow): Promise<CarrierCall> {
  const assistant = row.assistant_id === null ? undefined : await findAssistant(query, row.account_id, row.assistant_id)
  const settings = assistant && parseJson(assistant.settings)
  return {
    from: row.assistant_phone_number,
    to: row.client_phone_number ?? '',
    opening: assistant
      ? fillVariables(
          parsePersona(assistant).initial_message,
          assistantVariables(assistant, parseJson(row.variables), row.created_at),
        )
      : '',
    ringTimeoutSeconds: settings?.ringing_time ?? 30,
    maxDurationSeconds: settings?.max_duration ?? 600,
  }
}

/** Hangs up a call that is not over. A call that the carrier has not accepted yet was not answered. */
export const hangUpCall = async (
  carrier: CallCarrier,
  query: Query,
  row: PhoneCallRow,
  now: number,
): ReturnType<CallCarrier['hangUp']> =>
  row.sid === null
    ? { wasOver: false, status: 'no-answer', duration: 0, answeredBy: null, transcript: null, endedAt: now }
    : carrier.hangUp(row.sid, await toCarrierCall(query, row), now)
