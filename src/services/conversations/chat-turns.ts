import type { Micros } from '../../jobs/clock.ts'
import type { FunctionRun, MicroUsd, ModelReply } from '../../providers/ports/providers.ts'
import type { AssistantRow } from '../../store/assistants/assistants.ts'
import {
  findMessageByKey,
  findNextMessage,
  type NewMessage,
  releaseMessageKey,
} from '../../store/conversations/messages.ts'
import type { Query } from '../../store/database/connection.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { systemVariables, type Variables } from '../assistants/assistant-variables.ts'

/** Price of a message that is answered in a widget (section 4.9), and of a reply to another channel, for which nobody states one. */
export const messagePrice: MicroUsd = 10_000

/** What became of a message: the reply, or null where the assistant does not answer. */
export interface ChatReply {
  readonly text: string | null
  readonly calls: readonly FunctionRun[]
}

type AssistantPersona = Pick<AssistantFields, 'initial_message' | 'system_prompt' | 'timezone' | 'variables'>

export const parsePersona = ({ settings }: Pick<AssistantRow, 'settings'>): AssistantPersona =>
  JSON.parse(settings) as AssistantPersona

/** Everything `{{name}}` may stand for in the texts of an assistant. */
export function assistantVariables(assistant: AssistantRow, own: Variables, now: Micros): Variables {
  const { timezone, variables } = parsePersona(assistant)
  return {
    ...systemVariables({ uuid: assistant.uuid, name: assistant.name, timezone: timezone ?? 'UTC' }, now),
    ...variables,
    ...own,
  }
}

/** What was answered to the message that a request under this key has brought; undefined when there was none since a moment. */
export async function findPreviousReply(
  query: Query,
  account: number,
  key: string | undefined,
  since: Micros,
): Promise<(ChatReply & { conversation: number }) | undefined> {
  const userMessage = key === undefined ? undefined : await findMessageByKey(query, account, key, since)
  if (!userMessage) return undefined
  const next = await findNextMessage(query, userMessage)
  const reply = next?.role === 'assistant' ? next : undefined
  return {
    conversation: userMessage.conversation_id,
    text: reply?.content ?? null,
    calls: JSON.parse(reply?.function_calls ?? '[]'),
  }
}

/** Frees a key that was used before a moment, so that it can name another message. */
export async function freeMessageKey(
  query: Query,
  account: number,
  key: string | undefined,
  before: Micros,
): Promise<void> {
  if (key !== undefined) await releaseMessageKey(query, account, key, before)
}

/** The message and its reply, as they are stored in a conversation. */
export const toMessages = (text: string, reply: ModelReply | null, key: string | undefined): NewMessage[] => [
  { role: 'user', content: text, idempotencyKey: key },
  ...(reply
    ? [
        {
          role: 'assistant' as const,
          content: reply.text,
          functionCalls: reply.calls.length > 0 ? JSON.stringify(reply.calls) : null,
        },
      ]
    : []),
]
