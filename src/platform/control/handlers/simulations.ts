import { simulate } from '../../../contract/control/simulate.ts'
import { Failure, failures } from '../../../contract/errors/failures.ts'
import { parsePhoneNumber } from '../../../contract/values/phone-number.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { JobLoop } from '../../jobs/job-loop.ts'
import { setSenderState, setTemplateState } from '../../providers/messaging/local-channel.ts'
import { queueCallScript } from '../../providers/telephony/call-script.ts'
import { inboundScriptKey } from '../../providers/telephony/local-carrier.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { callService } from '../../services/calls/call-service.ts'
import { inboundCallService } from '../../services/calls/inbound-call-service.ts'
import { endConversation } from '../../services/conversations/conversation-events.ts'
import { findConversationByUuid } from '../../services/conversations/find-conversation.ts'
import { scheduleSync, senderSyncJobKind, templateSyncJobKind } from '../../services/messaging/channel-sync-service.ts'
import { advanceStatus } from '../../services/messaging/delivery-status.ts'
import { inboundMessageService } from '../../services/messaging/inbound-message-service.ts'
import { numberService } from '../../services/numbers/number-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { faultService } from '../../services/runtime/fault-service.ts'
import { type AccountRow, listAccounts, updateAccount } from '../../store/accounts/accounts.ts'
import { type AssistantRow, findNumberAssistant, listActiveAssistants } from '../../store/assistants/assistants.ts'
import { findConversation, findLatestOpenConversation } from '../../store/conversations/conversations.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery, PlatformQuery } from '../../store/database/connection.ts'
import { readMeta, simulatedKey, writeMeta } from '../../store/database/meta.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { findChannelMessageBySid, findLatestSid } from '../../store/messaging/channel-messages.ts'
import { listTemplates, type TemplateRow } from '../../store/messaging/message-templates.ts'
import { listSenders, type SenderRow } from '../../store/messaging/senders.ts'
import { listNumberRows, type NumberRow } from '../../store/numbers/numbers.ts'
import { findByRequestKey } from '../../store/runtime/idempotency-keys.ts'
import { clockHandlers } from './clock.ts'

/** The target of a simulation: an id or a name. */
type TargetName = string | number

/** Returns the refusal for an unknown target. */
const targetNotFound = (target: string): Failure =>
  new Failure('simulate.not_found', { text: failures['simulate.not_found'].text.replace('{resource}', () => target) })
/** Returns the refusal for a simulation that is not possible. */
const cannotSimulate = (why: string): Failure =>
  new Failure('simulate.impossible', { text: failures['simulate.impossible'].text.replace('{why}', () => why) })

const isId = (it: TargetName): boolean => typeof it === 'number' || /^\d{1,15}$/.test(it)

/** Returns the account by id, or the only one. @throws Failure */
async function resolveAccount(query: PlatformQuery, id: number | undefined): Promise<AccountRow> {
  const all = await listAccounts(query)
  const found = id === undefined ? (all.length === 1 ? all[0] : undefined) : all.find((it) => it.id === id)
  if (!found && id === undefined && all.length > 1)
    throw cannotSimulate('there are several accounts. Pass the id of one: --account (field account).')
  if (!found) throw targetNotFound('account')
  return found
}

/** Returns an assistant by UUID, name or id. @throws Failure */
async function resolveAssistant(query: AccountQuery, name: TargetName): Promise<AssistantRow> {
  const all = await listActiveAssistants(query)
  const found =
    all.find((it) => it.uuid === name || it.name === name) ??
    (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('assistant')
  return found
}

/** Returns a sender by phone number, display name or id. @throws Failure */
async function resolveSender(query: AccountQuery, name: TargetName): Promise<SenderRow> {
  const all = await listSenders(query)
  const found =
    all.find((it) => it.phone_number === name || it.display_name === name) ??
    (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('sender')
  return found
}

/** Returns a template by name or id. @throws Failure */
async function resolveTemplate(query: AccountQuery, sender: SenderRow, name: TargetName): Promise<TemplateRow> {
  const all = await listTemplates(query, sender)
  const found =
    all.find((it) => it.name === name) ?? (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('template')
  return found
}

/** Returns a phone number by its digits in E.164 or its id. @throws Failure */
async function resolveNumber(query: AccountQuery, name: TargetName): Promise<NumberRow> {
  const all = await listNumberRows(query)
  const found =
    all.find((it) => it.phone_number === String(name)) ??
    (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('phone number')
  return found
}

type CallRequest = Parameters<Simulations['call']>[0]

/**
 * Returns the assistant that answers an inbound call and the called number: the named assistant, or the one that has
 * the number.
 */
async function findAnsweringAssistant(
  query: AccountQuery,
  { assistant, to }: CallRequest,
): Promise<{ readonly assistant: AssistantRow; readonly to: string }> {
  const numbers = await listNumberRows(query)
  if (assistant !== undefined) {
    const row = await resolveAssistant(query, assistant)
    const own = numbers.find((it) => it.id === row.phone_number_id)?.phone_number
    const called = to ?? own
    if (called === undefined) throw cannotSimulate('the assistant has no phone number. Pass the called number as "to".')
    return { assistant: row, to: called }
  }
  const number = numbers.find((it) => it.phone_number === to)
  if (!number) throw targetNotFound(to === undefined ? 'assistant' : 'phone number')
  const row = await findNumberAssistant(query, number.id)
  if (!row) throw cannotSimulate('no assistant answers on this number.')
  return { assistant: row, to: number.phone_number }
}

/** Creates the simulation of scripted calls. It queues the script at the carrier, then makes an ordinary call. */
function createCallSimulation(deps: Deps): Simulations['call'] {
  const { connection } = deps
  return async (callRequest) => {
    const { direction, variables = {}, account, assistant, to, phone_number, ...script } = callRequest
    const owner = await resolveAccount(connection.read, account)
    const phone = await parsePhoneNumber(phone_number)
    if (phone === undefined) throw new Failure('calls.invalid_phone')
    if (direction === 'lead') {
      await connection.write('rows', (query) => queueCallScript(query, phone, script))
      return { message: 'The next call to this number follows the script.', data: { id: null, direction } }
    }
    // The simulated carrier stores it with the call: it never changes.
    const key = `simulated-${await connection.write({ name: 'simulated calls' }, (query) => nextSimulationId(query))}`
    if (direction === 'inbound') {
      const assistant = await findAnsweringAssistant(accountQuery(connection.read, owner.id), callRequest)
      await connection.write('rows', (query) => queueCallScript(query, inboundScriptKey(phone, assistant.to), script))
      const row = await inboundCallService(deps).receive({ ...assistant, from: phone, key })
      return { message: 'Inbound call received.', data: { id: row.id, direction } }
    }
    if (assistant === undefined) throw targetNotFound('assistant')
    const { id } = await resolveAssistant(accountQuery(connection.read, owner.id), assistant)
    await connection.write('rows', (query) => queueCallScript(query, phone, script))
    await callService(deps).start(owner, { phone, assistantId: id, variables }, key, 'starts')
    const row = await findByRequestKey(accountQuery(connection.read, owner.id), 'phone_call', key, 0)
    return { message: 'Call initiated successfully.', data: { id: row?.id ?? null, direction } }
  }
}

/** Returns a new number for a simulated call. */
async function nextSimulationId(query: PlatformQuery): Promise<number> {
  const value = String(Number((await readMeta(query, simulatedKey)) ?? 0) + 1)
  await writeMeta(query, simulatedKey, value)
  return Number(value)
}

/** The handlers of single simulations. */
type Simulations = Omit<HandlersOf<typeof simulate>, 'run'>

/** Creates the handlers of single simulations. */
function createSimulations(deps: Deps): Simulations {
  const { connection, clock } = deps
  return {
    async message({ account, sender, from, text, name }) {
      const owner = await resolveAccount(connection.read, account)
      const phone = await parsePhoneNumber(from)
      if (phone === undefined) throw new Failure('messaging.invalid_phone')
      const row = await resolveSender(accountQuery(connection.read, owner.id), sender)
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
        const row = await findChannelMessageBySid(query, message_sid)
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
      const own = accountQuery(connection.read, owner.id)
      const row = await resolveSender(own, sender)
      const { id, name, language } = await resolveTemplate(own, row, template)
      await connection.write('rows', (query) =>
        setTemplateState(query, { sender: row.phone_number, name, language, status }),
      )
      return connection.write({ account: owner.id }, async (query) => {
        const at = await scheduleSync(query, templateSyncJobKind, owner.id, await clock.now(query))
        return {
          message: `The channel reports the template as ${status}.`,
          data: { id, name, status, happens_at: toIsoMicros(at) },
        }
      })
    },

    async sender({ account, sender, status, quality_rating, messaging_limit }) {
      const owner = await resolveAccount(connection.read, account)
      const { id, phone_number } = await resolveSender(accountQuery(connection.read, owner.id), sender)
      await connection.write('rows', (query) =>
        setSenderState(query, phone_number, {
          ...(status && { status }),
          ...(quality_rating && { quality_rating }),
          ...(messaging_limit !== undefined && { messaging_limit, limit_known: 1 }),
        }),
      )
      return connection.write({ account: owner.id }, async (query) => {
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
      const { id, phone_number } = await resolveNumber(accountQuery(connection.read, owner.id), number)
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
      const found = await findConversationByUuid(deps, conversation)
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

type Handlers = HandlersOf<typeof simulate>
type Step = Parameters<Handlers['run']>[0]['steps'][number]

/** Returns the endpoints of the resource with their handlers. */
export const simulateResource = (deps: Deps & { readonly due: JobLoop }): LoadedResource =>
  loadedResource(simulate, simulateHandlers(deps))

/**
 * Creates the handlers of the control API for simulations: single ones, and scenarios in which time passes between
 * steps.
 */
function simulateHandlers(deps: Deps & { readonly due: JobLoop }): Handlers {
  const single = createSimulations(deps)
  const clock = clockHandlers(deps)
  const { connection } = deps

  /** Returns the SID of the account's most recent channel message. */
  async function lastMessage(account: number): Promise<string> {
    const sid = await findLatestSid(accountQuery(connection.read, account))
    if (sid === undefined) throw targetNotFound('message')
    return sid
  }
  async function lastConversation(account: number): Promise<string> {
    const uuid = await findLatestOpenConversation(accountQuery(connection.read, account))
    if (uuid === undefined) throw targetNotFound('conversation')
    return uuid
  }

  async function runStep(
    step: Step,
    account: number,
    caller: Parameters<Handlers['run']>[1],
  ): Promise<{ step: string; message: string; data: unknown }> {
    if (step.advance !== undefined) {
      const { now, done } = await clock.advance({ by: step.advance }, caller)
      return { step: 'advance', message: `Clock set to ${now}.`, data: { now, done } }
    }
    const [name, body] = Object.entries(step)[0] as [
      Exclude<keyof Step, 'advance'>,
      { account?: number; message_sid?: string; conversation?: string },
    ]
    const input = {
      account,
      ...body,
      ...(body.message_sid === 'last' && { message_sid: await lastMessage(body.account ?? account) }),
      ...(body.conversation === 'last' && { conversation: await lastConversation(body.account ?? account) }),
    }
    const { message, data } = await (
      single[name] as (input: object, by: typeof caller) => Promise<{ message: string; data: unknown }>
    )(input, caller)
    // Jobs that a step causes are finished before the next step.
    await deps.due.drain()
    return { step: name, message, data }
  }

  return {
    ...single,
    async run({ account, steps }, caller) {
      const { id } = await resolveAccount(connection.read, account)
      const done = []
      for (const step of steps) done.push(await runStep(step, id, caller))
      return { message: `Steps run: ${done.length}.`, data: { steps: done } }
    },
  }
}
