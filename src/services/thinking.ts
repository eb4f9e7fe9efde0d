import type { AssistantRow } from '../store/assistants.ts'
import { lastMessages } from '../store/messages.ts'
import type { AssistantFields } from './assistant-state.ts'
import type { Deps } from './deps.ts'
import type { FunctionsContext } from './functions/all.ts'
import type { Knowledge } from './functions/knowledge.ts'
import type { HandOver } from './functions/transfer.ts'
import { instructionsOf } from './instructions.ts'
import { modelsOf } from './models-asked.ts'
import type { FunctionRun, Line, Outcome, Reply, Turn, TurnFunction } from './ports.ts'
import { variablesIn } from './turns.ts'
import { fillVariables, type Variables } from './variables.ts'

/** Messages of a conversation the model is reminded of. */
const remembered = 40
/** Milliseconds a reply may take with everything that is done for it: by then nobody waits any more. */
const longest = 180_000

/** What is to be answered, and where. */
export interface Asked {
  readonly assistant: AssistantRow
  /** The conversation it is part of, if that has begun. */
  readonly conversation: number | undefined
  /** Who writes, where no conversation says so yet. */
  readonly customer?: string
  readonly customerPhone?: string | null
  readonly variables: Variables
  /** Left out where it stands in the conversation already. */
  readonly text?: string
  /** Whether the conversation may change its assistant. */
  readonly mayHandOver?: boolean
  /** Whether it may be ended from within. */
  readonly mayEnd?: boolean
  /** Told the reply as it comes. */
  readonly onText?: ((piece: string) => void) | undefined
  readonly onRun?: ((run: FunctionRun) => void) | undefined
}

/** A reply, and what becomes of the conversation with it. */
export interface Thought extends Reply {
  /** Id of the assistant that has it from now on. */
  readonly handOver?: number
  readonly ends?: boolean
}

const toLine = ({ role, content, function_calls }: { role: string; content: string; function_calls: string | null }): Line => ({
  role: role as Line['role'],
  content,
  ...(function_calls !== null && { calls: JSON.parse(function_calls) as FunctionRun[] }),
})

/**
 * What an assistant answers to a message, by the language model and with the functions it has. Nothing is kept, and a model that breaks off is one that
 * gives no reply.
 */
export async function think(deps: Deps, asked: Asked): Promise<Outcome<Thought>> {
  const { connection, clock, providers, log } = deps
  const { assistant, conversation, text, onText, onRun } = asked
  const settings = JSON.parse(assistant.settings) as Partial<AssistantFields>
  const phone = asked.customerPhone ?? null
  const known = { ...variablesIn(assistant, phone === null ? {} : { customer_phone: phone }, await clock.now()), ...asked.variables }
  const earlier = conversation === undefined ? [] : await lastMessages(connection.read, conversation, remembered)
  const signal = AbortSignal.timeout(longest)
  const state: { handOver?: HandOver; ends?: true } = {}
  try {
    const knowledge = await knowledgeOf(deps, assistant)
    const inPrompt = settings.knowledgebase_mode === 'prompt'
    const functions = await functionsFor({
      deps,
      assistant,
      settings,
      variables: known,
      knowledge: inPrompt ? undefined : knowledge,
      onHandOver: asked.mayHandOver ? (it) => Object.assign(state, { handOver: it }) : undefined,
      onEnd: asked.mayEnd ? () => Object.assign(state, { ends: true }) : undefined,
      turn: `${conversation ?? `${assistant.id} ${asked.customer ?? ''}`} ${earlier.at(-1)?.id ?? 0}`,
      customerPhone: phone,
      signal,
    })
    const told = inPrompt && knowledge ? await (await import('./functions/knowledge.ts')).knowledgeText(connection.read, knowledge) : ''
    const turn: Turn = {
      models: modelsOf(settings, functions.length > 0),
      temperature: settings.llm_temperature ?? 0.1,
      assistant: assistant.name,
      instructions: instructionsOf(settings, known, told),
      variables: known,
      said: [...earlier.map(toLine), ...(text === undefined ? [] : [{ role: 'user' as const, content: text }])],
      functions,
      signal,
      ...(onText && { onText }),
      ...(onRun && { onRun }),
    }
    const reply = await providers.language.reply(turn)
    return reply.ok ? { ...reply, ...(state.ends && { ends: true }), ...(state.handOver && handedOver(reply, state.handOver, known)) } : reply
  } catch (error) {
    log(`language model: ${(error as Error).message}`)
    return { ok: false, reason: 'The language model broke off.' }
  }
}

const knowledgeOf = async ({ connection }: Deps, { account_id, knowledgebase_id }: AssistantRow): Promise<Knowledge | undefined> =>
  knowledgebase_id === null ? undefined : (await import('./functions/knowledge.ts')).knowledgeIn(connection.read, account_id, knowledgebase_id)

/** Most assistants of a small platform can do nothing but talk: what makes functions is loaded for those that can more. */
async function functionsFor(context: FunctionsContext): Promise<readonly TurnFunction[]> {
  const { deps, assistant, settings, knowledge } = context
  const hasTools = await deps.connection.read
    .selectFrom('assistant_tool')
    .select('tool_id')
    .where('assistant_id', '=', assistant.id)
    .limit(1)
    .executeTakeFirst()
  if (!hasTools && (settings.tools ?? []).length === 0 && !knowledge) return []
  return (await import('./functions/all.ts')).functionsOf(context)
}

/** What the customer reads when another assistant takes over: what was to be said before, then its greeting. */
function handedOver({ text }: Reply, { to, before, greets }: HandOver, known: Variables): Pick<Thought, 'text' | 'handOver'> {
  const { initial_message } = JSON.parse(to.settings) as Partial<AssistantFields>
  const greeting = greets ? fillVariables(initial_message ?? '', { ...known, assistant_id: to.uuid, assistant_name: to.name }) : ''
  return {
    text: [before === undefined || before === '' ? text : fillVariables(before, known), greeting].filter((it) => it !== '').join('\n\n'),
    handOver: to.id,
  }
}
