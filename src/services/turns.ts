import type { Micros } from '../events/clock.ts'
import type { AssistantRow } from '../store/assistants.ts'
import type { Query } from '../store/connection.ts'
import { findMessageByKey, findNextMessage, forgetMessageKey } from '../store/messages.ts'
import type { AssistantFields } from './assistant-state.ts'
import type { FunctionRun, MicroUsd, Reply } from './ports.ts'
import { systemVariables, type Variables } from './variables.ts'

/** Price of a message that is answered in a widget (section 4.9), and of a reply to another channel, for which nobody states one. */
export const messagePrice: MicroUsd = 10_000

/** What became of a message: the reply, or null where the assistant does not answer. */
export interface Answered {
  readonly text: string | null
  readonly calls: readonly FunctionRun[]
}

type Persona = Pick<AssistantFields, 'initial_message' | 'system_prompt' | 'timezone' | 'variables'>

export const personaOf = ({ settings }: Pick<AssistantRow, 'settings'>): Persona => JSON.parse(settings) as Persona

/** Everything `{{name}}` may stand for in the texts of an assistant. */
export function variablesIn(assistant: AssistantRow, own: Variables, now: Micros): Variables {
  const { timezone, variables } = personaOf(assistant)
  return { ...systemVariables({ uuid: assistant.uuid, name: assistant.name, timezone: timezone ?? 'UTC' }, now), ...variables, ...own }
}

/** What was answered to the message that a request under this key has brought; undefined when there was none since a moment. */
export async function answeredBefore(
  query: Query,
  account: number,
  key: string | undefined,
  since: Micros,
): Promise<(Answered & { conversation: number }) | undefined> {
  const asked = key === undefined ? undefined : await findMessageByKey(query, account, key, since)
  if (!asked) return undefined
  const next = await findNextMessage(query, asked)
  const reply = next?.role === 'assistant' ? next : undefined
  return { conversation: asked.conversation_id, text: reply?.content ?? null, calls: JSON.parse(reply?.function_calls ?? '[]') }
}

/** Frees a key that was used before a moment, so that it can name another message. */
export async function freeMessageKey(query: Query, account: number, key: string | undefined, before: Micros): Promise<void> {
  if (key !== undefined) await forgetMessageKey(query, account, key, before)
}

/** The message and its reply, as a conversation keeps them. */
export const turnOf = (text: string, reply: Reply | null, key: string | undefined) => [
  { role: 'user' as const, content: text, key },
  ...(reply ? [{ role: 'assistant' as const, content: reply.text, calls: reply.calls.length > 0 ? JSON.stringify(reply.calls) : null }] : []),
]
