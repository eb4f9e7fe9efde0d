import { isObject } from '../../../contract/values/json-object.ts'
import type {
  ChatMessage,
  ExtractionRequest,
  FunctionRun,
  LanguageModel,
  ModelReply,
  ModelRequest,
  ProviderResult,
} from '../../../engine/ports.ts'
import { FairSlots } from '../../../node/fair-slots.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { sleep } from '../../../node/real-time.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import type { Completion, RequestedCall } from './completion.ts'
import { complete, type ModelEndpoint, ModelError } from './model-endpoint.ts'
import { runFunction } from './run-function.ts'
import { extractValues } from './value-extraction.ts'

/** Options of an OpenAI-compatible model. */
interface OpenAiOptions {
  /** Returns the endpoint for a model of the catalogue. */
  readonly endpointOf: (name: string) => ModelEndpoint
  readonly description: string
  readonly log: (text: string) => void
  readonly gate?: FaultInjector | undefined
  readonly sleep?: (ms: number) => Promise<void>
}

type Message = Readonly<Record<string, unknown>>

/**
 * Maximum number of requests of a process to its models at the same time, in all and of one account. The others wait;
 * accounts take turns. Functions run without a slot, because they may ask a model, too.
 */
const concurrency = { total: 128, perAccount: 32 }

/** Maximum rounds of function calls before the model must reply. After them the request forbids calls; a further one fails the reply. */
export const maxRounds = 8

/**
 * Creates a model behind an endpoint that implements OpenAI's chat-completions protocol, with streaming and functions.
 */
export function openAiModel({
  endpointOf,
  description,
  log,
  gate,
  sleep: pause = sleep,
}: OpenAiOptions): LanguageModel {
  const slots = new FairSlots(concurrency)

  async function generate(
    endpoint: ModelEndpoint,
    turn: ModelRequest,
    state: { touched: boolean },
  ): Promise<ModelReply> {
    const messages: Message[] = [{ role: 'system', content: turn.instructions }, ...turn.messages.flatMap(toMessages)]
    const calls: FunctionRun[] = []
    const texts: string[] = []
    for (let round = 0; ; round++) {
      const mayCall = turn.functions.length > 0 && round < maxRounds
      const { text, calls: requested } = await requestCompletion(
        endpoint,
        turn,
        messages,
        mayCall,
        texts.length > 0,
        state,
      )
      if (text.trim() !== '') texts.push(text.trim())
      if (requested.length === 0) return { text: texts.join('\n\n'), calls }
      if (!mayCall)
        throw new ModelError(
          'The language model called functions too many times.',
          `more than ${maxRounds} rounds of functions`,
          false,
        )
      state.touched = true
      messages.push({ role: 'assistant', content: text === '' ? null : text, tool_calls: requested.map(toToolCall) })
      for (const call of requested) {
        const run = await runRequestedCall(turn, call)
        calls.push(run)
        messages.push({ role: 'tool', tool_call_id: call.id, content: stringifyJson(run.result) })
      }
    }
  }

  /** Requests one response. Text after function calls starts a new paragraph. */
  function requestCompletion(
    endpoint: ModelEndpoint,
    { account, temperature, functions, onText, signal }: ModelRequest,
    messages: readonly Message[],
    mayCall: boolean,
    isContinuation: boolean,
    state: { touched: boolean },
  ): Promise<Completion> {
    let first = true
    const body = {
      messages,
      ...(endpoint.takesTemperature && { temperature }),
      ...(functions.length > 0 && { tools: functions.map(toTool), tool_choice: mayCall ? 'auto' : 'none' }),
    }
    const onPiece = (piece: string): void => {
      state.touched = true
      onText?.(first && isContinuation ? `\n\n${piece}` : piece)
      first = false
    }
    const send = () => complete({ endpoint, body, onText: onPiece, signal, sleep: pause })
    return slots.run(account, send, signal)
  }

  async function reply(turn: ModelRequest): Promise<ProviderResult<ModelReply>> {
    let failure: ModelError | undefined
    for (const name of turn.models) {
      const endpoint = endpointOf(name)
      const state = { touched: false }
      try {
        const { text, calls } = await generate(endpoint, turn, state)
        return text === ''
          ? { ok: false, reason: 'The language model returned an empty reply.' }
          : { ok: true, text, calls }
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        failure = error
        log(`language model ${endpoint.model} at ${new URL(endpoint.baseUrl).host}: ${error.detail}`)
        // After the reply has started or a function was called, another model would repeat or contradict it.
        if (state.touched || !error.isUntouched) break
      }
    }
    return { ok: false, reason: failure?.message ?? 'The assistant has no language model.' }
  }

  const extract = (wanted: ExtractionRequest) =>
    withFaultInjection(gate, 'language.extract', () =>
      slots.run(wanted.account, () => extractValues(endpointOf(wanted.model), wanted), wanted.signal),
    )

  return {
    name: 'openai',
    description,
    canExtract: () => true,
    extract,
    reply: (turn) => withFaultInjection(gate, 'language.reply', () => reply(turn)),
  }
}

const toTool = ({ name, description, parameters }: ModelRequest['functions'][number]): Message => ({
  type: 'function',
  function: { name, description, parameters },
})

const toToolCall = ({ id, name, text }: RequestedCall): Message => ({
  id,
  type: 'function',
  function: { name, arguments: text || '{}' },
})

/**
 * Returns a message in the protocol's form. The function calls of an earlier reply precede it, as in the original
 * exchange.
 */
function toMessages({ role, content, calls = [] }: ChatMessage, at: number): Message[] {
  if (calls.length === 0) return [{ role, content }]
  const requested = calls.map((call, n) =>
    toToolCall({ id: `earlier_${at}_${n}`, name: call.name, text: stringifyJson(call.arguments) }),
  )
  const results = calls.map((call, n) => ({
    role: 'tool',
    tool_call_id: `earlier_${at}_${n}`,
    content: stringifyJson(call.result),
  }))
  return [{ role: 'assistant', content: null, tool_calls: requested }, ...results, { role, content }]
}

/** Runs a requested function. Arguments that are not a JSON object are reported to the model as an error. */
async function runRequestedCall(turn: ModelRequest, { name, text }: RequestedCall): Promise<FunctionRun> {
  const args = parseObject(text)
  if (args) return runFunction(turn, name, args)
  const run: FunctionRun = { name, arguments: {}, result: { error: 'The arguments are not a JSON object.' } }
  turn.onRun?.(run)
  return run
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = parseJson(text)
    return isObject(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
