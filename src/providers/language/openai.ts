import type { FunctionRun, LanguageModel, Line, Outcome, Reply, Turn, Wanted } from '../../services/ports.ts'
import { type Gate, throughGate } from '../gate.ts'
import type { AskedCall, Completion } from './completion.ts'
import { complete, type ModelEndpoint, ModelFailed } from './endpoint.ts'
import { extractBy } from './extracting.ts'
import { runFunction } from './running.ts'

export interface OpenAiOptions {
  /** Where a model of the catalogue is asked. */
  readonly endpointOf: (name: string) => ModelEndpoint
  readonly description: string
  readonly log: (text: string) => void
  readonly gate?: Gate | undefined
  readonly sleep?: (ms: number) => Promise<void>
}

type Message = Readonly<Record<string, unknown>>

/** Times a model may ask for functions before it has to answer. */
export const mostRounds = 8

/** Models behind any endpoint that speaks the chat-completions protocol of OpenAI: streamed, with functions. */
export function openAiLanguage({ endpointOf, description, log, gate, sleep = pause }: OpenAiOptions): LanguageModel {
  async function ask(endpoint: ModelEndpoint, turn: Turn, state: { touched: boolean }): Promise<Reply> {
    const messages: Message[] = [{ role: 'system', content: turn.instructions }, ...turn.said.flatMap(messagesOf)]
    const calls: FunctionRun[] = []
    const texts: string[] = []
    for (let round = 0; ; round++) {
      const mayCall = turn.functions.length > 0 && round < mostRounds
      const { text, calls: asked } = await ending(endpoint, turn, messages, mayCall, texts.length > 0, state)
      if (text.trim() !== '') texts.push(text.trim())
      if (asked.length === 0) return { text: texts.join('\n\n'), calls }
      if (!mayCall) throw new ModelFailed('The language model asked for functions without end.', `more than ${mostRounds} rounds of functions`, false)
      state.touched = true
      messages.push({ role: 'assistant', content: text === '' ? null : text, tool_calls: asked.map(toolCall) })
      for (const call of asked) {
        const run = await ran(turn, call)
        calls.push(run)
        messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(run.result) })
      }
    }
  }

  /** One answer. What is said after functions begins a paragraph of its own. */
  function ending(
    endpoint: ModelEndpoint,
    { temperature, functions, onText, signal }: Turn,
    messages: readonly Message[],
    mayCall: boolean,
    isFurther: boolean,
    state: { touched: boolean },
  ): Promise<Completion> {
    let first = true
    const body = {
      messages,
      ...(endpoint.takesTemperature && { temperature }),
      ...(functions.length > 0 && { tools: functions.map(toTool), tool_choice: mayCall ? 'auto' : 'none' }),
    }
    const told = (piece: string): void => {
      state.touched = true
      onText?.(first && isFurther ? `\n\n${piece}` : piece)
      first = false
    }
    return complete({ endpoint, body, onText: told, signal, sleep })
  }

  async function reply(turn: Turn): Promise<Outcome<Reply>> {
    let failure: ModelFailed | undefined
    for (const name of turn.models) {
      const endpoint = endpointOf(name)
      const state = { touched: false }
      try {
        const { text, calls } = await ask(endpoint, turn, state)
        return text === '' ? { ok: false, reason: 'The language model said nothing.' } : { ok: true, text, calls }
      } catch (error) {
        if (!(error instanceof ModelFailed)) throw error
        failure = error
        log(`language model ${endpoint.model} at ${new URL(endpoint.baseUrl).host}: ${error.detail}`)
        // Somebody has read the beginning, or something was done: another model would say it differently, or do it again.
        if (state.touched || !error.isClean) break
      }
    }
    return { ok: false, reason: failure?.message ?? 'The assistant has no language model.' }
  }

  const extract = (wanted: Wanted) => throughGate(gate, 'language.extract', () => extractBy(endpointOf(wanted.model), wanted))

  return { name: 'openai', description, extracts: () => true, extract, reply: (turn) => throughGate(gate, 'language.reply', () => reply(turn)) }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const toTool = ({ name, description, parameters }: Turn['functions'][number]): Message => ({ type: 'function', function: { name, description, parameters } })

const toolCall = ({ id, name, text }: AskedCall): Message => ({ id, type: 'function', function: { name, arguments: text || '{}' } })

/** What was done for an earlier reply stands before it, as it did then. */
function messagesOf({ role, content, calls = [] }: Line, at: number): Message[] {
  if (calls.length === 0) return [{ role, content }]
  const asked = calls.map((it, n) => toolCall({ id: `earlier_${at}_${n}`, name: it.name, text: JSON.stringify(it.arguments) }))
  const results = calls.map((it, n) => ({ role: 'tool', tool_call_id: `earlier_${at}_${n}`, content: JSON.stringify(it.result) }))
  return [{ role: 'assistant', content: null, tool_calls: asked }, ...results, { role, content }]
}

/** Arguments that are no JSON object are the model's mistake: it is told. */
async function ran(turn: Turn, { name, text }: AskedCall): Promise<FunctionRun> {
  const args = objectIn(text)
  if (args) return runFunction(turn, name, args)
  const run: FunctionRun = { name, arguments: {}, result: { error: 'The arguments are not a JSON object.' } }
  turn.onRun?.(run)
  return run
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
