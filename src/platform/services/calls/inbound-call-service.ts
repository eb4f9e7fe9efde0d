import { Failure } from '../../../contract/errors/failures.ts'
import type { CarrierCall } from '../../../engine/ports.ts'
import { fillVariables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import type { AssistantRow } from '../../store/assistants/assistants.ts'
import { insertCall, type PhoneCallRow } from '../../store/calls/phone-calls.ts'
import { assistantEventService } from '../automations/triggers/assistant-event-service.ts'
import { minutePrice } from '../billing/call-prices.ts'
import { charge } from '../billing/ledger.ts'
import { assistantVariables, parsePersona } from '../conversations/chat-turns.ts'
import type { Deps } from '../runtime/deps.ts'
import { callJobKind, newCallDefaults } from './call-service.ts'

/** An inbound call to an assistant. */
interface InboundCall {
  readonly assistant: AssistantRow
  /** Numbers in E.164: the caller and the called number. */
  readonly from: string
  readonly to: string
  readonly key: string
}

/** Receives inbound calls: the inbound event supplies variables (section 6.3), then the assistant answers. */
export function inboundCallService(deps: Deps) {
  const { connection, clock, providers } = deps

  return {
    /** Answers an inbound call. @throws Failure 422 when the balance does not cover one minute */
    async receive({ assistant, from, to, key }: InboundCall): Promise<PhoneCallRow> {
      const { account_id: account, id } = assistant
      const payload = { customer_phone: from, assistant_phone: to }
      const { variables } = await assistantEventService(deps).raise({
        account,
        assistant: id,
        kind: 'inbound',
        payload,
        key,
      })
      const now = await clock.now()
      const settings = parseJson(assistant.settings)
      const call: CarrierCall = {
        from,
        to,
        opening: fillVariables(
          parsePersona(assistant).initial_message ?? '',
          assistantVariables(assistant, variables ?? {}, now),
        ),
        ringTimeoutSeconds: settings.ringing_time ?? 30,
        maxDurationSeconds: settings.max_duration ?? 600,
      }
      const answered = await providers.carrier.answer(`incoming-${key}`, call, now)
      if (!answered.ok) throw new Error(answered.reason)
      return connection.write({ account }, async (query) => {
        const row = await insertCall(query, {
          ...newCallDefaults,
          account_id: account,
          assistant_id: id,
          campaign_id: null,
          campaign_name: null,
          type: 'inbound',
          state: 'going',
          status: 'ringing',
          assistant_phone_number: to,
          client_phone_number: from,
          variables: stringifyJson(variables ?? {}),
          idempotency_key: null,
          sid: answered.sid,
          created_at: now,
          updated_at: now,
        })
        const owner = await findAccount(query, account)
        // The form of `operationKey` in call-service.ts. The ledger has it, so it never changes.
        const movement = { reason: `Call from ${from}`, reference: `call-${row.id}-${row.created_at}-charge`, now }
        if (!owner || !(await charge(query, owner, minutePrice, movement)))
          throw new Failure('calls.insufficient_balance')
        await scheduleJob(query, { account, kind: callJobKind, subject: String(row.id), at: now })
        return row
      })
    },
  }
}
