import type { Micros } from '../events/clock.ts'
import type { AssistantRow } from '../store/assistants.ts'
import type { Query } from '../store/connection.ts'
import { findMessageByKey, findNextMessage, forgetMessageKey, lastMessages } from '../store/messages.ts'
import type { AssistantFields } from './assistant-state.ts'
import { catalogues } from './catalogues.ts'
import type { Deps } from './deps.ts'
import type { FunctionRun, MicroUsd, Outcome, Reply } from './ports.ts'
import { fillVariables, systemVariables, type Variables } from './variables.ts'

/** Price of a message that is answered in a widget (section 4.9), and of a reply to another channel, for which nobody states one. */
export const messagePrice: MicroUsd = 10_000

/** Messages of a conversation the model is reminded of. */
const remembered = 40

/** What became of a message: the reply, or null where the assistant does not answer. */
export interface Answered {
  readonly text: string | null
  readonly calls: readonly FunctionRun[]
}

type Persona = Pick<
  AssistantFields,
  'initial_message' | 'system_prompt' | 'timezone' | 'variables' | 'llm_temperature' | 'llm_model_id' | 'chat_llm_fallback_id' | 'multimodal_model_id'
>

export const personaOf = ({ settings }: Pick<AssistantRow, 'settings'>): Persona => JSON.parse(settings) as Persona

/** Everything `{{name}}` may stand for in the texts of an assistant. */
export function variablesIn(assistant: AssistantRow, own: Variables, now: Micros): Variables {
  const { timezone, variables } = personaOf(assistant)
  return { ...systemVariables({ uuid: assistant.uuid, name: assistant.name, timezone: timezone ?? 'UTC' }, now), ...variables, ...own }
}

function modelOf({ llm_model_id, chat_llm_fallback_id, multimodal_model_id }: Persona): string {
  const id = llm_model_id ?? chat_llm_fallback_id ?? multimodal_model_id
  const all = (['llm', 'multimodal', 'dualplex'] as const).flatMap((it) => catalogues.models(it))
  return all.find((it) => it.id === id)?.name ?? 'Balanced'
}

/**
 * What an assistant answers to a message, by the language model. `conversation` is the one it is part of, if that has begun.
 * Nothing is kept, and a model that breaks off is one that gives no reply.
 */
export async function think(
  { connection, clock, providers, log }: Deps,
  { assistant, conversation, variables, text }: { assistant: AssistantRow; conversation: number | undefined; variables: Variables; text: string },
): Promise<Outcome<Reply>> {
  const persona = personaOf(assistant)
  const known = variablesIn(assistant, variables, await clock.now())
  const earlier = conversation === undefined ? [] : await lastMessages(connection.read, conversation, remembered)
  try {
    return await providers.language.reply({
      model: modelOf(persona),
      temperature: persona.llm_temperature ?? 0.1,
      assistant: assistant.name,
      instructions: fillVariables(persona.system_prompt, known),
      said: [...earlier.map(({ role, content }) => ({ role: role as 'user' | 'assistant', content })), { role: 'user', content: text }],
      functions: [],
    })
  } catch (error) {
    log(`language model: ${(error as Error).message}`)
    return { ok: false, reason: 'The language model broke off.' }
  }
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
