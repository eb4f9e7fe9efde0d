import type { Assistant } from '../../../contract/resources/assistants.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import type { FunctionRun, MicroUsd, ModelReply } from '../../../engine/ports.ts'
import { systemVariables, type Variables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { AssistantRow } from '../../store/assistants/assistants.ts'
import { findNextMessage, type NewMessage } from '../../store/conversations/messages.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findByRequestKey, releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'

/**
 * Price of an answered message in a widget (section 4.9), and of a reply to another channel, for which the
 * specification names none.
 */
export const messagePrice: MicroUsd = 10_000

/** The reply to a message; `text` is null when the assistant does not answer. */
export interface ChatReply {
  readonly text: string | null
  readonly calls: readonly FunctionRun[]
}

type AssistantPersona = Pick<Partial<Assistant>, 'initial_message' | 'system_prompt' | 'timezone' | 'variables'>

/** Returns the settings of an assistant that shape what it says. */
export const parsePersona = ({ settings }: Pick<AssistantRow, 'settings'>): AssistantPersona => parseJson(settings)

/** Returns all variables that texts of an assistant may refer to as `{{name}}`. */
export function assistantVariables(assistant: AssistantRow, own: Variables, now: Micros): Variables {
  const { timezone, variables } = parsePersona(assistant)
  return {
    ...systemVariables({ uuid: assistant.uuid, name: assistant.name, timezone: timezone ?? 'UTC' }, now),
    ...variables,
    ...own,
  }
}

/** Returns the reply to an earlier message of the same key; undefined when there was none since a time. */
export async function findPreviousReply(
  query: AccountQuery,
  key: string | undefined,
  since: Micros,
): Promise<(ChatReply & { conversation: number }) | undefined> {
  const userMessage = key === undefined ? undefined : await findByRequestKey(query, 'message', key, since)
  if (!userMessage) return undefined
  const next = await findNextMessage(query, userMessage)
  const reply = next?.role === 'assistant' ? next : undefined
  return {
    conversation: userMessage.conversation_id,
    text: reply?.content ?? null,
    calls: parseJson(reply?.function_calls ?? '[]'),
  }
}

/** Releases a key that was last used before a time, so that it can identify another message. */
export async function freeMessageKey(query: AccountQuery, key: string | undefined, before: Micros): Promise<void> {
  if (key !== undefined) await releaseRequestKey(query, 'message', key, before)
}

/** Returns the message and its reply as they are stored in a conversation. */
export const toMessages = (text: string, reply: ModelReply | null, key: string | undefined): NewMessage[] => [
  { role: 'user', content: text, idempotencyKey: key },
  ...(reply
    ? [
        {
          role: 'assistant' as const,
          content: reply.text,
          functionCalls: reply.calls.length > 0 ? stringifyJson(reply.calls) : null,
        },
      ]
    : []),
]
