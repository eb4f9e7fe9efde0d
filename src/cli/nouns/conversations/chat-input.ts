import { createInterface } from 'node:readline'
import { parseJson } from '../../../node/json.ts'
import { isForAgent } from '../../program/configuration/agent-mode.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { Interrupted } from '../../program/prompts/prompts.ts'
import { isEnabled } from '../../program/terminal/color.ts'

/** A line or block of input: a message, or possibly a slash command. */
export interface ChatInput {
  readonly text: string
  /** Whether it may be a slash command: false for JSON input and for several lines. */
  readonly mayBeCommand: boolean
}

const prompt = 'You        '
const continuationPrompt = '...        '
const fence = '"""'

/**
 * Reads messages typed at a prompt on stderr. Ctrl-D ends the input; Ctrl-C throws Interrupted and aborts the current
 * request. A line that ends with a backslash continues on the next line; all lines between two `"""` lines form one
 * message. The arrow keys recall `earlier` messages.
 */
export async function* readTypedInput(
  { system }: Context,
  interrupt: AbortController,
  earlier: readonly string[],
): AsyncGenerator<ChatInput> {
  const { input, output } = system.terminal
  const draws = !isEnabled(system.env.ACCESSIBLE) && system.env.TERM !== 'dumb' && system.streams.stderr.columns > 0
  const reader = createInterface({ input, output, prompt, terminal: draws, history: [...earlier].reverse() })
  const stop = (): void => {
    interrupt.abort()
    reader.close()
  }
  reader.on('SIGINT', stop)
  system.signal.addEventListener('abort', stop, { once: true })
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
      // The prompt may have been closed while waiting for the reply.
      if (!interrupt.signal.aborted) ask(builder.isOpen ? continuationPrompt : prompt)
    }
    await system.streams.stderr.write('\n')
    if (interrupt.signal.aborted) throw new Interrupted()
    // An unfinished message is sent as well.
    const rest = builder.rest()
    if (rest) yield rest
  } finally {
    system.signal.removeEventListener('abort', stop)
    reader.close()
  }
}

/** Joins the lines of a message. */
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
    const continues = !this.#isFenced && line.endsWith('\\')
    const isSingleLine = !this.isOpen && !continues
    this.#lines.push(continues ? line.slice(0, -1) : line)
    if (this.#isFenced || continues) return undefined
    return isSingleLine ? { text: this.#take().trim(), mayBeCommand: true } : this.rest()
  }

  /** Returns the lines collected so far; undefined if they are blank. */
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

const startAndSend =
  'For one message: parley conversations start --assistant <id> --type test -o id, then parley conversations send <id> --message <text>.'

/**
 * Opens the messages of a pipe. A coding agent may have started
 * the program without a pipe, so that its first message is awaited here.
 * @throws ClientFailure `usage` without one
 */
export async function openPipedInput(context: Context, hint = startAndSend): Promise<AsyncIterable<ChatInput>> {
  const messages = readPipedInput(context)
  if (!isForAgent(context.system.env)) return messages
  const first = await messages.next()
  if (first.done)
    throw usageError(
      'Missing message: standard input is empty, and a chat needs a person at a terminal, or one message on each line of a pipe.',
      hint,
    )
  return (async function* () {
    yield first.value
    yield* messages
  })()
}

/**
 * Reads messages from a pipe, one per line: text, or a JSON object with a `message` field. Scripts write such lines: it never
 * accepts less.
 */
export async function* readPipedInput({ system }: Context): AsyncGenerator<ChatInput> {
  let rest = ''
  for await (const chunk of untilAborted(system.streams.stdin.read(), system.signal)) {
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
    const { message } = parseJson(text) as { message?: unknown }
    return typeof message === 'string' ? { text: message.trim(), mayBeCommand: false } : { text, mayBeCommand: true }
  } catch {
    return { text, mayBeCommand: true }
  }
}
