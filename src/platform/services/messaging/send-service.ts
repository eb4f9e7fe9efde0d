import { Failure, failures } from '../../../contract/errors/failures.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { withZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { parseE164 } from '../../../contract/values/phone-number.ts'
import type { ChannelMessage, SendResult } from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findAssistantById } from '../../store/assistants/assistants.ts'
import { handedOverAt, releaseHandOver } from '../../store/contacts/blocked-contacts.ts'
import type { WaitingRequest } from '../../store/contacts/tables.ts'
import type { WaitingContactRow } from '../../store/contacts/waiting-contacts.ts'
import {
  type ConversationRow,
  deleteEmptyConversation,
  findConversationById,
} from '../../store/conversations/conversations.ts'
import { appendMessages } from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import {
  type ChannelMessageRow,
  completeSend,
  findChannelMessage,
  insertChannelMessage,
  setConversationMessage,
} from '../../store/messaging/channel-messages.ts'
import { findTemplate } from '../../store/messaging/message-templates.ts'
import { findSender } from '../../store/messaging/senders.ts'
import type { StoredFailure } from '../../store/messaging/tables.ts'
import { findByRequestKey, releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Payer } from '../billing/key-budget.ts'
import { charge, refundByReference } from '../billing/ledger.ts'
import { recordSkippedContact, requireContactAllowed } from '../contacts/contact-permission.ts'
import { beginHandOver, type HandOver, handOver, startHandedOver } from '../contacts/hand-over.ts'
import {
  holdOutsideHours,
  keepsHours,
  markStarted,
  type OutsideHours,
  waitingFailure,
  waitsForHours,
} from '../contacts/outside-hours.ts'
import { publishConversationStarted } from '../conversations/conversation-events.ts'
import { requireNotStopped, waitsForResume } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'
import { publishDeliveryStatus } from './delivery-status.ts'
import { correspond } from './find-or-create-conversation.ts'
import { requireFreeformMessage, requireTemplateMessage, type SendableMessage } from './send-rules.ts'

/** Kind of the job that finishes a message whose process crashed. The subject is the message's id. Its rows have this name, so it never changes. */
export const sendJobKind = 'message'

/** The input for a template message. */
interface TemplateDraft {
  readonly senderId: number
  readonly templateId: number
  readonly recipient: string
  readonly recipientName?: string | undefined
  readonly variables: Readonly<Record<string, string>>
}

/** The input for a message without a template. */
interface FreeformDraft {
  readonly senderId: number
  readonly recipient: string
  readonly message?: string | undefined
  readonly mediaUrl?: string | undefined
  readonly filename?: string | undefined
}

/** A message that was stored, or what waits for the hours of the account instead. */
type Reserved = { readonly row: ChannelMessageRow; readonly given?: HandOver } | { readonly waiting: WaitingContactRow }

/** A message that the channel accepted. */
export type SentMessage = ChannelMessageRow & {
  conversation_id: number
  message_id: number
  message_sid: string
  delivery_status: string
}

/**
 * Sends messages. A message is a durable row: `sending -> sent`, or `failed`. The charge and the row are committed
 * together before the channel is called, under a key derived from the row. A refusal refunds the charge in the
 * transaction that stores `failed`. After a crash any process repeats the call under the same key, so that a message is
 * sent and charged once or not at all.
 */
export function sendService(deps: Deps) {
  const { connection, clock, providers } = deps
  /** Returns the idempotency key of a part of a message. The provider knows the operation by it after a crash, so it never changes. */
  const operationKey = (row: ChannelMessageRow, part: string): string => `message-${row.id}-${row.created_at}-${part}`

  const handedOver = (row: ChannelMessageRow) =>
    ({ channel: 'messaging', id: row.id, account: row.account_id }) as const

  /** Stores a message and charges for it. A request with the same key gets the existing row. */
  async function reserve(
    account: Payer,
    key: string | undefined,
    name: string | undefined,
    check: (query: AccountQuery, now: Micros) => Promise<SendableMessage>,
    { request, outside }: { readonly request: WaitingRequest; readonly outside: OutsideHours | 'reply' },
  ): Promise<Reserved> {
    return withZonesOfNumbers(() =>
      connection.write({ account: account.id }, async (query) => {
        const now = await clock.now(query)
        const earlier = key === undefined ? undefined : await findByRequestKey(query, 'channel_message', key, now - day)
        if (earlier && earlier.state !== 'sending') return { row: earlier }
        const conditions = outside === 'reply' ? undefined : await requireNotStopped(query, key)
        if (earlier) return { row: earlier }
        if (key !== undefined) await releaseRequestKey(query, 'channel_message', key, now - day)
        // The check is part of the transaction, so that two messages cannot both take a sender's last recipient of the
        // day.
        const checked = await check(query, now)
        await requireContactAllowed(query, 'messaging', checked.recipient)
        if (outside !== 'reply' && conditions) {
          const contact = { conditions, outside, channel: 'messaging', phone: checked.recipient, request, key } as const
          const waiting = await holdOutsideHours(query, { ...contact, payer: account, until: checked.until }, now)
          if (waiting) return { waiting }
        }
        const given = beginHandOver(deps)
        const correspondence = {
          account: account.id,
          sender: checked.sender.id,
          assistant: checked.assistant,
          customer: checked.recipient,
          name,
          now,
        }
        const conversation = await correspond(query, deps, correspondence)
        const row = await insertChannelMessage(query, {
          account_id: account.id,
          sender_id: checked.sender.id,
          conversation_id: conversation.id,
          message_id: null,
          template_id: checked.templateId,
          recipient_phone: checked.recipient,
          state: 'sending',
          idempotency_key: key ?? null,
          message_sid: null,
          delivery_status: null,
          cost: checked.cost,
          body: checked.body,
          placeholders: checked.placeholders && stringifyJson(checked.placeholders),
          media_url: checked.media?.url ?? null,
          filename: checked.media?.filename ?? null,
          failure: null,
          created_at: now,
          updated_at: now,
          ...handedOverAt(given.at),
          keeps_hours: keepsHours(conditions, outside),
        })
        if (
          !(await charge(query, account, checked.cost, {
            reason: `Message to ${checked.recipient}`,
            reference: operationKey(row, 'charge'),
            now,
          }))
        )
          throw new Failure('messaging.insufficient_balance')
        const lease = { owner: deps.owner, wall: deps.wall() }
        await scheduleJob(query, { account: account.id, kind: sendJobKind, subject: String(row.id), at: now, lease })
        await markStarted(query, outside, row.id, now)
        return { row, given }
      }),
    )
  }

  async function toChannel(row: ChannelMessageRow): Promise<ChannelMessage> {
    const read = accountQuery(connection.read, row.account_id)
    const sender = await findSender(read, row.sender_id)
    if (!sender) throw new Error(`Message ${row.id} has no sender.`)
    const template = row.template_id === null ? undefined : await findTemplate(read, sender, row.template_id)
    return {
      sender: sender.phone_number,
      recipient: row.recipient_phone,
      body: row.body,
      ...(template && {
        template: {
          name: template.name,
          language: template.language,
          placeholders: parseJson(row.placeholders ?? '[]'),
        },
      }),
      ...(row.media_url !== null && { media: { url: row.media_url, filename: row.filename ?? undefined } }),
    }
  }

  /** Publishes the start of a conversation with its first message. */
  async function publishIfNew(query: AccountQuery, id: number, now: Micros): Promise<void> {
    const conversation = requireValue(await findConversationById(query, id))
    if (conversation.message_count > 0 || conversation.ends > 0) return
    const assistant = requireValue(await findAssistantById(query, conversation.assistant_id))
    await publishConversationStarted(query, conversation, assistant, now)
  }

  const markSent = (row: ChannelMessageRow, { sid, status }: SendResult & { ok: true }): Promise<ChannelMessageRow> =>
    connection.write({ account: row.account_id }, async (query) => {
      const now = await clock.now(query)
      const conversation = requireValue(row.conversation_id)
      await releaseHandOver(query, handedOver(row))
      const updated = await completeSend(query, row.id, {
        state: 'sent',
        message_sid: sid,
        delivery_status: status,
        updated_at: now,
      })
      if (!updated) return requireValue(await findChannelMessage(query, row.id))
      await publishIfNew(query, conversation, now)
      const [message] = await appendMessages(query, {
        conversation,
        messages: [{ role: 'assistant', content: row.body || (row.media_url ?? '') }],
        cost: row.cost,
        // Only a template opens the window (section 3).
        ...(row.template_id !== null && { windowUntil: now + day }),
        now,
      })
      await setConversationMessage(query, row.id, message)
      await appendEvent(query, {
        account: row.account_id,
        kind: 'message.sent',
        subject: String(row.id),
        payload: { conversation_id: conversation, message_sid: sid },
        now,
      })
      if (status !== 'queued') await publishDeliveryStatus(query, updated, status, now)
      await unscheduleJob(query, sendJobKind, String(row.id))
      return { ...updated, message_id: requireValue(message) }
    })

  const markFailed = (
    row: ChannelMessageRow,
    { code, reason }: SendResult & { ok: false },
  ): Promise<ChannelMessageRow> =>
    connection.write({ account: row.account_id }, async (query) => {
      await releaseHandOver(query, handedOver(row))
      const failure: StoredFailure =
        code === null
          ? { kind: 'messaging.unknown', text: reason }
          : { kind: 'messaging.provider_error', text: reason, code }
      return endAsFailed(query, row, failure, await clock.now(query))
    })

  /** Ends a message that was not accepted, and refunds it, in the caller's transaction. */
  async function endAsFailed(
    query: AccountQuery,
    row: ChannelMessageRow,
    failure: StoredFailure,
    now: Micros,
  ): Promise<ChannelMessageRow> {
    const updated = await completeSend(query, row.id, {
      state: 'failed',
      failure: stringifyJson(failure),
      updated_at: now,
    })
    if (!updated) return requireValue(await findChannelMessage(query, row.id))
    const account = requireValue(await findAccount(query, row.account_id))
    await refundByReference(query, account, operationKey(row, 'charge'), {
      reason: `Message to ${row.recipient_phone} was refused`,
      reference: operationKey(row, 'refund'),
      now,
    })
    if (row.conversation_id !== null) await deleteEmptyConversation(query, row.conversation_id)
    await unscheduleJob(query, sendJobKind, String(row.id))
    return updated
  }

  /** Hands the message over once more, or ends it if its recipient has opted out since. */
  const renewHandOver = (row: ChannelMessageRow): Promise<HandOver | undefined> =>
    connection.write({ account: row.account_id }, async (query) => {
      const contact = { channel: 'messaging', phone: row.recipient_phone } as const
      // The confirmation of an opt-out is the only message that a blocked contact gets.
      const isExempt = row.is_confirmation === 1
      const given = await handOver(query, deps, { ...contact, id: row.id, isExempt })
      if (!given || 'endsAt' in given) return given
      const now = await clock.now(query)
      await recordSkippedContact(query, { ...contact, subject: `message ${row.id}` }, given, now)
      await endAsFailed(query, row, { kind: given.failure, text: failures[given.failure].text }, now)
      return undefined
    })

  /** Takes a message to its end. Several processes may do so at once. */
  async function finish(reserved: Reserved): Promise<ChannelMessageRow> {
    if ('waiting' in reserved) throw waitingFailure(reserved.waiting)
    const { row, given } = reserved
    if (row.state !== 'sending') return row
    const message = await toChannel(row)
    const result = await startHandedOver(deps, handedOver(row), {
      given,
      renew: () => renewHandOver(row),
      start: () => providers.channel.send(operationKey(row, 'send'), message),
    })
    if (!result) return requireValue(await findChannelMessage(accountQuery(connection.read, row.account_id), row.id))
    return result.ok ? markSent(row, result) : markFailed(row, result)
  }

  function toSentMessage(row: ChannelMessageRow): SentMessage {
    if (row.failure === null) return row as SentMessage
    const { kind, text, code } = parseJson(row.failure)
    throw new Failure(kind, { text, ...(code !== undefined && { providerCode: code }) })
  }

  return {
    /**
     * Sends a template message. A request with the same idempotency key within a day continues the same message and
     * returns the same result.
     * @throws Failure with one of the refusals of section 7.3; `contacts.waiting` if it waits for the hours of the account
     */
    async template(
      account: Payer,
      draft: TemplateDraft,
      key: string | undefined,
      outside: OutsideHours,
    ): Promise<SentMessage> {
      const phone = await parseE164(draft.recipient)
      return toSentMessage(
        await finish(
          await reserve(
            account,
            key,
            draft.recipientName,
            (query, now) => requireTemplateMessage(query, account.id, { ...draft, phone }, now),
            { request: { template: draft }, outside },
          ),
        ),
      )
    },

    /**
     * Sends text or media within the 24-hour window. Idempotency keys work as for templates. With `reply`, an assistant
     * answers somebody who has written, which it also does while the account is stopped and outside its hours.
     */
    async freeform(
      account: Payer,
      draft: FreeformDraft,
      key: string | undefined,
      outside: OutsideHours | 'reply',
    ): Promise<SentMessage> {
      const phone = await parseE164(draft.recipient)
      const check = (query: AccountQuery, now: Micros): Promise<SendableMessage> =>
        requireFreeformMessage(query, account.id, { ...draft, phone }, now)
      return toSentMessage(
        await finish(await reserve(account, key, undefined, check, { request: { freeform: draft }, outside })),
      )
    },

    /**
     * Stores the confirmation of an opt-out, which costs nothing, in the caller's transaction. The job loop sends it.
     */
    async storeConfirmation(query: AccountQuery, conversation: ConversationRow, text: string, now: Micros) {
      const row = await insertChannelMessage(query, {
        account_id: query.account,
        sender_id: requireValue(conversation.sender_id),
        conversation_id: conversation.id,
        message_id: null,
        template_id: null,
        recipient_phone: requireValue(conversation.customer_phone),
        state: 'sending',
        idempotency_key: null,
        message_sid: null,
        delivery_status: null,
        cost: 0,
        body: text,
        placeholders: null,
        media_url: null,
        filename: null,
        failure: null,
        created_at: now,
        updated_at: now,
        is_confirmation: 1,
      })
      await scheduleJob(query, { account: query.account, kind: sendJobKind, subject: String(row.id), at: now })
    },

    /** Finishes a message that its process did not finish. */
    async resume(job: JobRow): Promise<void> {
      const { account_id: account, subject } = job
      const row = await findChannelMessage(accountQuery(connection.read, account), Number(subject))
      // The confirmation of an opt-out answers somebody who has written.
      if (row?.is_confirmation !== 1 && (await waitsForResume(deps, job))) return
      const isHeld =
        row?.state === 'sending' &&
        (await waitsForHours(deps, job, {
          keepsHours: row.keeps_hours,
          channel: 'messaging',
          phone: row.recipient_phone,
          end: (query, failure, now) => endAsFailed(query, row, failure, now),
        }))
      if (isHeld) return
      if (row) await finish({ row })
      await connection.write({ rows: account }, (query) => unscheduleJob(query, sendJobKind, subject))
    },
  }
}
