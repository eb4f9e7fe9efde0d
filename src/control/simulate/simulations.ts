import type { simulate } from '../../contract/control/simulate.ts'
import { Failure } from '../../contract/errors/failures.ts'
import { parsePhoneNumber } from '../../contract/values/phone-number.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { setSenderState, setTemplateState } from '../../providers/messaging/channel-state.ts'
import type { HandlersOf } from '../../server/handlers/handler.ts'
import { endConversation } from '../../services/conversations/conversation-events.ts'
import { scheduleSync, senderSyncJobKind, templateSyncJobKind } from '../../services/messaging/channel-sync-service.ts'
import { advanceStatus } from '../../services/messaging/delivery-status.ts'
import { inboundMessageService } from '../../services/messaging/inbound-message-service.ts'
import { numberService } from '../../services/numbers/number-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { faultService } from '../../services/runtime/fault-service.ts'
import { updateAccount } from '../../store/accounts/accounts.ts'
import { findConversation } from '../../store/conversations/conversations.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { findChannelMessageBySid } from '../../store/messaging/channel-messages.ts'
import { resolveAccount, resolveNumber, resolveSender, resolveTemplate, targetNotFound } from './resolve-targets.ts'
import { createCallSimulation } from './simulate-call.ts'

/** The handlers of single simulations. */
export type Simulations = Omit<HandlersOf<typeof simulate>, 'run'>

/** Creates the handlers of single simulations. */
export function createSimulations(deps: Deps): Simulations {
  const { connection, clock } = deps
  return {
    async message({ account, sender, from, text, name }) {
      const owner = await resolveAccount(connection.read, account)
      const phone = await parsePhoneNumber(from)
      if (phone === undefined) throw new Failure('messaging.invalid_phone')
      const row = await resolveSender(connection.read, owner.id, sender)
      const { conversation, message } = await inboundMessageService(deps).receive({
        sender: row,
        from: phone,
        text,
        name,
      })
      return { message: 'Message received.', data: { id: message, conversation_id: conversation.uuid } }
    },

    async receipt({ account, message_sid, status, error_code: code, error_message: words }) {
      const owner = await resolveAccount(connection.read, account)
      return connection.write({ account: owner.id }, async (query) => {
        const row = await findChannelMessageBySid(query, owner.id, message_sid)
        if (!row) throw targetNotFound('message')
        const changed = await advanceStatus(query, row, status, await clock.now(query), { code, message: words })
        const data = { id: row.id, message_sid, status: changed ? status : (row.delivery_status ?? 'queued'), changed }
        return {
          message: changed ? `Message status changed to ${status}.` : `Message status is already ${data.status}.`,
          data,
        }
      })
    },

    async template({ account, sender, template, status }) {
      const owner = await resolveAccount(connection.read, account)
      return connection.write({ account: owner.id }, async (query) => {
        const row = await resolveSender(query, owner.id, sender)
        const { id, name, language } = await resolveTemplate(query, row, template)
        await setTemplateState(query, { sender: row.phone_number, name, language, status })
        const at = await scheduleSync(query, templateSyncJobKind, owner.id, await clock.now(query))
        return {
          message: `The channel reports the template as ${status}.`,
          data: { id, name, status, happens_at: toIsoMicros(at) },
        }
      })
    },

    async sender({ account, sender, status, quality_rating, messaging_limit }) {
      const owner = await resolveAccount(connection.read, account)
      return connection.write({ account: owner.id }, async (query) => {
        const { id, phone_number } = await resolveSender(query, owner.id, sender)
        await setSenderState(query, phone_number, {
          ...(status && { status }),
          ...(quality_rating && { quality_rating }),
          ...(messaging_limit !== undefined && { messaging_limit, limit_known: 1 }),
        })
        const at = await scheduleSync(query, senderSyncJobKind, owner.id, await clock.now(query))
        return {
          message: 'The channel changed the sender.',
          data: { id, phone_number, happens_at: toIsoMicros(at) },
        }
      })
    },

    call: createCallSimulation(deps),

    async payment({ account, outcome }) {
      const { id } = await resolveAccount(connection.read, account)
      const payment_method = outcome === 'declined' ? 'pm_card_declined' : 'pm_card_visa'
      await connection.write({ account: id }, (query) => updateAccount(query, id, { payment_method }))
      return {
        message: outcome === 'declined' ? 'Charges are declined from now on.' : 'Charges are accepted from now on.',
        data: { id, payment_method },
      }
    },

    async release({ account, number }) {
      const owner = await resolveAccount(connection.read, account)
      const { id, phone_number } = await resolveNumber(connection.read, owner.id, number)
      await numberService(deps).finishRelease(owner.id, id)
      await connection.write({ account: owner.id }, async (query) => {
        const now = await clock.now(query)
        await appendEvent(query, {
          account: owner.id,
          kind: 'number.released',
          subject: `number ${id}`,
          payload: { number_id: id, phone_number },
          now,
        })
      })
      return { message: 'Number released.', data: { id, phone_number } }
    },

    async failure({ provider, times, text }) {
      const rule = {
        endpoint: provider,
        where: {},
        drift: [],
        latency_ms: 0,
        probability: 1,
        seed: 1,
        status: 503,
        times,
        ...(text !== undefined && { text }),
      }
      const { id } = await faultService(deps).add(rule)
      return {
        message: `The provider will fail ${times === 1 ? 'once' : `${times} times`}.`,
        data: { id, provider, times },
      }
    },

    async end({ account, conversation }) {
      // A UUID identifies a conversation without an account.
      const owner = account === undefined ? undefined : await resolveAccount(connection.read, account)
      const found = await findConversation(connection.read, conversation)
      if (!found || (owner && found.account_id !== owner.id)) throw targetNotFound('conversation')
      return connection.write({ account: found.account_id }, async (query) => {
        const row = await findConversation(query, conversation)
        if (!row) throw targetNotFound('conversation')
        const changed = await endConversation(
          query,
          row,
          await clock.now(query),
          deps.providers.language.canExtract?.(),
        )
        return {
          message: changed ? 'Conversation ended.' : 'The conversation has already ended.',
          data: { id: conversation, changed },
        }
      })
    },
  }
}
