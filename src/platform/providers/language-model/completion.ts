import { isObject } from '../../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'

/** A function call requested by a model. The arguments are text that the model wrote, which may be invalid JSON. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly text: string
}

/** One response of a model. */
export interface Completion {
  readonly text: string
  readonly calls: readonly RequestedCall[]
  /** Whether the response ended regularly and was not cut off. */
  readonly isComplete: boolean
}

/** The endpoint returned an invalid response. The message may be shown to users: model-endpoint.ts makes a `ModelError` of it. */
export class InvalidCompletionError extends Error {
  override readonly name = 'InvalidCompletionError'
}

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {})
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Maximum function calls in one response. */
const maxCalls = 32

/** Assembles a streamed response. Each response needs a new instance. */
export class CompletionBuilder {
  #text = ''
  #isComplete = false
  readonly #calls = new Map<number, { id: string; name: string; text: string }>()

  /** Adds an event. Returns the new text. @throws InvalidCompletionError */
  add(data: string): string {
    if (data === '[DONE]') {
      this.#isComplete = true
      return ''
    }
    const event = parseEvent(data)
    if (event.error !== undefined) throw new InvalidCompletionError('The language model stopped with an error.')
    const choice = toFields(toList(event.choices)[0])
    const delta = toFields(choice.delta ?? choice.message)
    if (typeof choice.finish_reason === 'string') this.#isComplete = true
    for (const [at, call] of toList(delta.tool_calls).entries()) this.#addCall(toFields(call), at)
    const text = toText(delta.content)
    this.#text += text
    return text
  }

  #addCall({ index, id, function: asked }: Fields, at: number): void {
    const callIndex = typeof index === 'number' ? index : at
    const known = this.#calls.get(callIndex) ?? { id: '', name: '', text: '' }
    if (!this.#calls.has(callIndex) && this.#calls.size >= maxCalls)
      throw new InvalidCompletionError('The language model called too many functions at once.')
    const { name, arguments: text } = toFields(asked)
    // A name arrives in one piece, but some servers repeat it with every piece of arguments.
    this.#calls.set(callIndex, {
      id: toText(id) || known.id,
      name: toText(name) || known.name,
      text: known.text + serializeArguments(text),
    })
  }

  get completion(): Completion {
    const calls = [...this.#calls]
      .sort(([a], [b]) => a - b)
      .map(([callIndex, call]) => ({ ...call, id: call.id || `call_${callIndex}` }))
    return { text: this.#text, calls, isComplete: this.#isComplete }
  }
}

/** Returns arguments as text. Some servers send an object instead. */
const serializeArguments = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : stringifyJson(value)

function parseEvent(data: string): Fields {
  try {
    return toFields(parseJson(data))
  } catch {
    throw new InvalidCompletionError('The language model returned an invalid response.')
  }
}

/** Parses the response of a server that does not stream. @throws InvalidCompletionError */
export function parseCompletion(body: string): Completion {
  const builder = new CompletionBuilder()
  builder.add(body)
  const { text, calls } = builder.completion
  if (text === '' && calls.length === 0 && toList(parseEvent(body).choices).length === 0)
    throw new InvalidCompletionError('The language model returned an invalid response.')
  return { text, calls, isComplete: true }
}
