import { type Micros, toIsoMillis } from '../../../contract/values/micros.ts'
import type { TranscriptLine } from '../../../engine/ports.ts'
import { parseJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { type AssistantRow, findAssistantById, findAssistantSettings } from '../../store/assistants/assistants.ts'
import {
  type ConversationRow,
  findConversationById,
  hasInactivityTimeout,
  inactivityJobKind,
  inactivityTimeoutMicros,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import { listMessages } from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { listAttachments } from '../../store/messaging/channel-messages.ts'
import { findSender } from '../../store/messaging/senders.ts'
import { insertJob, type JobRow } from '../../store/runtime/scheduled-jobs.ts'
import { publishEvent } from '../deliveries/event-publisher.ts'
import type { Deps } from '../runtime/deps.ts'
import { extractByRules, extractionJobKind } from './extraction.ts'
import { formatTranscript, toConversationTranscript } from './transcripts.ts'

const mediaTypes: readonly (readonly [RegExp, string])[] = [
  [/\.(jpe?g|png|gif|webp)$/i, 'image'],
  [/\.(mp4|3gpp?|mov)$/i, 'video'],
  [/\.(aac|amr|mp3|m4a|ogg|opus)$/i, 'audio'],
]

const mediaType = (url: string): string =>
  mediaTypes.find(([pattern]) => pattern.test(new URL(url).pathname))?.[1] ?? 'document'

const describeAttachment = ({ url, filename }: { readonly url: string; readonly filename: string | null }) => ({
  type: mediaType(url),
  url,
  filename,
})

/**
 * Returns the fields that all events of a conversation contain. Webhooks and automations of users read them: they are added, not
 * renamed.
 */
async function describeConversation(
  query: AccountQuery,
  conversation: ConversationRow,
  assistant: Pick<AssistantRow, 'uuid' | 'settings'>,
) {
  const sender =
    conversation.sender_id === null
      ? undefined
      : await findSender(accountQuery(query, conversation.account_id), conversation.sender_id)
  const { variables } = parseJson(assistant.settings)
  return {
    id: conversation.id,
    conversation_id: conversation.uuid,
    assistant_id: assistant.uuid,
    type: conversation.type,
    customer_phone: conversation.customer_phone,
    customer_name: conversation.customer_name,
    input_variables: { ...variables, ...parseJson(conversation.variables) } as Record<string, unknown>,
    sender: sender ? { phone_number: sender.phone_number, display_name: sender.display_name } : null,
    created_at: toIsoMillis(conversation.created_at),
  }
}

/** Publishes the start of a conversation, in the transaction that created it. */
export async function publishConversationStarted(
  query: AccountQuery,
  conversation: ConversationRow,
  assistant: Pick<AssistantRow, 'uuid' | 'settings'>,
  now: Micros,
): Promise<void> {
  const payload = await describeConversation(query, conversation, assistant)
  const event = {
    account: conversation.account_id,
    kind: 'conversation.started' as const,
    subject: `conversation ${conversation.id}`,
    payload,
    now,
  }
  await publishEvent(query, { ...event, assistant: conversation.assistant_id, event: 'conversation' })
}

/**
 * Ends a conversation and publishes its end, in the caller's transaction (section 6.1, facts 3.1). The webhook is
 * notified once, or at each end if the assistant is configured so. Returns false when the conversation had ended
 * already. With `awaitsExtraction`, the event is held until a language model has extracted its variables.
 */
export async function endConversation(
  query: AccountQuery,
  conversation: ConversationRow,
  now: Micros,
  awaitsExtraction = false,
): Promise<boolean> {
  await unscheduleJob(query, inactivityJobKind, String(conversation.id))
  if (conversation.status !== 'open') return false
  await updateConversation(query, conversation.id, { status: 'ended', ended_at: now, ends: conversation.ends + 1 })
  const assistant = requireValue(await findAssistantById(query, conversation.assistant_id))
  const settings = parseJson(assistant.settings)
  const lines: TranscriptLine[] = (await listMessages(query, conversation.id)).map(({ role, content, created_at }) => ({
    role: role as TranscriptLine['role'],
    content,
    at: created_at,
  }))
  const common = await describeConversation(query, conversation, assistant)
  const payload = {
    ...common,
    message_count: conversation.message_count,
    status: 'ended',
    extracted_variables: extractByRules(settings, lines, common.input_variables),
    transcript: toConversationTranscript(lines),
    formatted_transcript: formatTranscript(lines),
    attachments: (await listAttachments(query, conversation.id)).map(describeAttachment),
    ended_at: toIsoMillis(now),
  }
  const event = {
    account: conversation.account_id,
    kind: 'conversation.ended' as const,
    subject: `conversation ${conversation.id}`,
    payload,
    now,
  }
  // Only conversations with customers notify the webhook (section 6.1).
  const isNotified =
    hasInactivityTimeout(conversation.type) &&
    (conversation.ends === 0 || settings.conversation_ended_retrigger === true)
  const id = isNotified
    ? await publishEvent(query, {
        ...event,
        assistant: conversation.assistant_id,
        event: 'conversation_ended',
        isDeferred: awaitsExtraction,
      })
    : await appendEvent(query, event)
  if (awaitsExtraction)
    await scheduleJob(query, {
      account: conversation.account_id,
      kind: extractionJobKind,
      subject: String(id),
      at: now,
    })
  return true
}

/** Ends conversations that are inactive. */
export function inactivityService({ connection, clock, providers }: Pick<Deps, 'connection' | 'clock' | 'providers'>) {
  return {
    /**
     * Scheduled job: ends a conversation that was silent for the inactivity timeout its assistant has now. Otherwise it
     * schedules the next check.
     */
    checkInactivity: ({ account_id: account, subject }: JobRow): Promise<void> =>
      connection.write({ account }, async (query) => {
        const id = Number(subject)
        const conversation = await findConversationById(query, id)
        const settings = conversation && (await findAssistantSettings(query, conversation.assistant_id))
        const inactivityTimeout = settings === undefined ? null : inactivityTimeoutMicros(settings)
        if (!conversation || inactivityTimeout === null) return unscheduleJob(query, inactivityJobKind, subject)
        const now = await clock.now(query)
        const at = conversation.updated_at + inactivityTimeout
        if (at <= now) await endConversation(query, conversation, now, providers.language.canExtract?.())
        else {
          await unscheduleJob(query, inactivityJobKind, subject)
          const due = { account_id: account, kind: inactivityJobKind, subject, due_at: at }
          await insertJob(query, { ...due, attempts: 0, lease_owner: null, lease_until: 0 })
        }
      }),
  }
}
