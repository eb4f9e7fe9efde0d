import { createInterface } from 'node:readline'
import type { Context } from '../../context.ts'
import { Interrupted } from '../../prompts/prompts.ts'
import { isEnabled } from '../../terminal/colour.ts'

/** What was typed or piped in: a message, or perhaps a command of the chat. */
export interface ChatInput {
  readonly text: string
  /** Whether it may be a command: not where it was given as JSON, or has several lines. */
  readonly mayBeCommand: boolean
}

const prompt = 'You        '
const continuationPrompt = '...        '
const fence = '"""'

/**
 * Messages as a person types them, each after a question of its own on stderr; Ctrl-D ends them, Ctrl-C is Interrupted, and aborts what is under way.
 * A line that ends with a backslash goes on in the next one; between two lines of `"""` all lines are one message. `earlier` are those that the arrow keys bring back.
 */
export async function* readTypedInput(
  { world }: Context,
  interrupt: AbortController,
  earlier: readonly string[],
): AsyncGenerator<ChatInput> {
  const { input, output } = world.terminal
  const draws = !isEnabled(world.env.ACCESSIBLE) && world.env.TERM !== 'dumb' && world.streams.stderr.columns > 0
  const reader = createInterface({ input, output, prompt, terminal: draws, history: [...earlier].reverse() })
  const stop = (): void => {
    interrupt.abort()
    reader.close()
  }
  reader.on('SIGINT', stop)
  world.signal.addEventListener('abort', stop, { once: true })
  const ask = (question: string): void => {
    reader.setPrompt(question)
    reader.prompt()
  }
  try {
    const builder = new MessageBuilder()
    ask(prompt)
    for await (const line of reader) {
      const whole = builder.add(line)
      if (whole) yield whole
      // It may have been closed while the reply came.
      if (!interrupt.signal.aborted) ask(builder.isOpen ? continuationPrompt : prompt)
    }
    await world.streams.stderr.write('\n')
    if (interrupt.signal.aborted) throw new Interrupted()
    // What was begun and not ended is a message all the same.
    const rest = builder.rest()
    if (rest) yield rest
  } finally {
    world.signal.removeEventListener('abort', stop)
    reader.close()
  }
}

/** Puts the lines of one message together. */
class MessageBuilder {
  #lines: string[] = []
  #isFenced = false

  get isOpen(): boolean {
    return this.#isFenced || this.#lines.length > 0
  }

  add(line: string): ChatInput | undefined {
    if (line.trim() === fence) {
      this.#isFenced = !this.#isFenced
      return this.#isFenced ? undefined : this.rest()
    }
    const goesOn = !this.#isFenced && line.endsWith('\\')
    const isAlone = !this.isOpen && !goesOn
    this.#lines.push(goesOn ? line.slice(0, -1) : line)
    if (this.#isFenced || goesOn) return undefined
    return isAlone ? { text: this.#take().trim(), mayBeCommand: true } : this.rest()
  }

  /** What was gathered so far; undefined where that is nothing. */
  rest(): ChatInput | undefined {
    this.#isFenced = false
    const text = this.#take().trim()
    return text === '' ? undefined : { text, mayBeCommand: false }
  }

  #take(): string {
    const text = this.#lines.join('\n')
    this.#lines = []
    return text
  }
}

/** Messages from a pipe, a line each: text, or a JSON object with the text as `message`. */
export async function* readPipedInput({ world }: Context): AsyncGenerator<ChatInput> {
  let rest = ''
  for await (const chunk of untilAborted(world.streams.stdin.read(), world.signal)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.map(messageOf)
  }
  if (rest !== '') yield messageOf(rest)
}

async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let stop: () => void = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted(signal.reason))
  })
  stopped.catch(() => {})
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), stopped])
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function messageOf(line: string): ChatInput {
  const text = line.replace(/^\uFEFF/, '').trim()
  if (!text.startsWith('{')) return { text, mayBeCommand: true }
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? { text: message.trim(), mayBeCommand: false } : { text, mayBeCommand: true }
  } catch {
    return { text, mayBeCommand: true }
  }
}
