import { realTime } from '../../../node/real-time.ts'
import { withAnySignal } from '../../../node/time-limit.ts'
import { isEnabled } from '../terminal/color.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import type { NodeInput } from '../terminal/streams.ts'
import {
  type Choice,
  Interrupted,
  NeedsTerminal,
  type Prompter,
  type PromptOptions,
  type Prompts,
  type QuestionOptions,
} from './prompts.ts'

/** Milliseconds without a key after which typing has stopped, and the limit for keys that never stop. */
const quietMs = 50
const maxWaitMs = 5000

/**
 * Discards keys typed before a prompt is shown, because they cannot be meant as its answer. The terminal is in raw mode
 * during this time, so that an unfinished line is discarded too.
 *
 * @throws Interrupted for Ctrl-C, the end of input, an aborted signal, and keys that do not stop
 */
export async function discardTypeahead(input: NodeInput, signal: AbortSignal | undefined): Promise<void> {
  if (!input.setRawMode) return
  let onData: (chunk: Buffer | string) => void = () => {}
  let stop: () => void = () => {}
  input.setRawMode(true)
  const deadline = realTime.setTimeout(() => stop(), maxWaitMs)
  let quietTimer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const wait = (): void => {
        realTime.clearTimeout(quietTimer)
        quietTimer = realTime.setTimeout(resolve, quietMs)
      }
      stop = () => reject(new Interrupted(signal?.reason))
      onData = (chunk) => (chunk.includes('\x03') ? stop() : wait())
      wait()
      signal?.addEventListener('abort', stop)
      input.once('end', stop)
      input.on('data', onData)
      input.resume()
    })
  } finally {
    realTime.clearTimeout(deadline)
    realTime.clearTimeout(quietTimer)
    signal?.removeEventListener('abort', stop)
    input.removeListener('end', stop)
    input.removeListener('data', onData)
    input.pause()
    input.setRawMode(false)
  }
}

function sanitizeChoice<T>(choice: Choice<T>): Choice<T> {
  return {
    ...choice,
    name: safeLine(choice.name),
    ...(choice.description !== undefined && { description: safeLine(choice.description) }),
    ...(typeof choice.disabled === 'string' && { disabled: safeLine(choice.disabled) }),
  }
}

/**
 * Creates prompts for a terminal: redrawn in place if the terminal supports it, otherwise line by line with numbered
 * choices (ACCESSIBLE, TERM=dumb, unknown width).
 */
export function createPrompts(options: PromptOptions): Prompts {
  const { streams, input, output, env, color } = options
  // Both streams must be terminals, or an empty line from a pipe would choose the default.
  const possible = options.interactive && streams.stdin.isTTY && streams.stderr.isTTY
  const isPlain = isEnabled(env.ACCESSIBLE) || env.TERM === 'dumb' || streams.stderr.columns === 0
  let prompter: Promise<Prompter> | undefined
  const open = (): Promise<Prompter> => {
    prompter ??= isPlain
      ? import('./line-prompter.ts').then((it) => it.createLinePrompter(input, streams.stderr))
      : import('./inquirer-prompter.ts').then((it) => it.createInquirerPrompter(input, output, color))
    return prompter
  }

  const askQuestion = async <T>(
    message: string,
    given: QuestionOptions,
    callPrompter: (prompter: Prompter, question: string, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> => {
    const question = safeText(message)
    if (!possible) throw new NeedsTerminal(question)
    return withAnySignal([given.signal, options.signal], async (signal) => {
      const ready = await open()
      if (signal.aborted) throw new Interrupted(signal.reason)
      await discardTypeahead(input, signal)
      return callPrompter(ready, question, signal)
    })
  }

  return {
    isAvailable: possible,
    confirm: (message, given = {}) =>
      askQuestion(message, given, (it, question, signal) => it.confirm(question, signal)),
    select: (message, choices, given = {}) =>
      askQuestion(message, given, (prompter, question, signal) =>
        prompter.select(question, choices.map(sanitizeChoice), given.searchable ?? false, signal),
      ),
    input: (message, given = {}) =>
      askQuestion(message, given, (it, question, signal) => it.input(question, given, signal)),
    password: (message, given = {}) =>
      askQuestion(message, given, (it, question, signal) => it.password(question, signal)),
    confirmName: (message, name, given = {}) => {
      const wanted = safeLine(name).trim()
      return askQuestion(
        `${message} Type ${wanted} to confirm:`,
        given,
        async (it, question, signal) => (await it.input(question, {}, signal)).trim() === wanted && wanted !== '',
      )
    },
  }
}
