/** A call as a model asks for it: its arguments are the text it wrote, which need not be JSON. */
export interface AskedCall {
  readonly id: string
  readonly name: string
  readonly text: string
}

/** What a model said in one go. */
export interface Completion {
  readonly text: string
  readonly calls: readonly AskedCall[]
  /** Whether it came to an end, and was not cut. */
  readonly isWhole: boolean
}

/** The endpoint answered, and not with what it should. The message says what is wrong in words that anybody may read. */
export class CompletionBroken extends Error {
  override readonly name = 'CompletionBroken'
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Calls one model may ask for in one go. */
const mostCalls = 32

/** Puts the pieces of a streamed answer together; one answer a time. */
export class Gathering {
  #text = ''
  #isWhole = false
  readonly #calls = new Map<number, { id: string; name: string; text: string }>()

  /** Takes in an event; answers the text that is new. @throws CompletionBroken */
  add(data: string): string {
    if (data === '[DONE]') {
      this.#isWhole = true
      return ''
    }
    const event = parsed(data)
    if (event.error !== undefined) throw new CompletionBroken('The language model broke off with an error.')
    const choice = fieldsOf(listOf(event.choices)[0])
    const delta = fieldsOf(choice.delta ?? choice.message)
    if (typeof choice.finish_reason === 'string') this.#isWhole = true
    for (const [at, it] of listOf(delta.tool_calls).entries()) this.#addCall(fieldsOf(it), at)
    const text = textOf(delta.content)
    this.#text += text
    return text
  }

  #addCall({ index, id, function: asked }: Fields, at: number): void {
    const place = typeof index === 'number' ? index : at
    const known = this.#calls.get(place) ?? { id: '', name: '', text: '' }
    if (!this.#calls.has(place) && this.#calls.size >= mostCalls) throw new CompletionBroken('The language model asked for too many functions at once.')
    const { name, arguments: text } = fieldsOf(asked)
    // A name comes whole; some servers send it again with every piece.
    this.#calls.set(place, { id: textOf(id) || known.id, name: textOf(name) || known.name, text: known.text + written(text) })
  }

  get completion(): Completion {
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([place, it]) => ({ ...it, id: it.id || `call_${place}` }))
    return { text: this.#text, calls, isWhole: this.#isWhole }
  }
}

/** Arguments are text; some servers send the object itself. */
const written = (value: unknown): string => (typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value))

function parsed(data: string): Fields {
  try {
    return fieldsOf(JSON.parse(data))
  } catch {
    throw new CompletionBroken("The language model's answer cannot be read.")
  }
}

/** The answer of a server that does not stream. @throws CompletionBroken */
export function wholeCompletion(body: string): Completion {
  const gathering = new Gathering()
  gathering.add(body)
  const { text, calls } = gathering.completion
  if (text === '' && calls.length === 0 && listOf(parsed(body).choices).length === 0) throw new CompletionBroken("The language model's answer cannot be read.")
  return { text, calls, isWhole: true }
}
