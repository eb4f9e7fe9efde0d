import type { ExitName } from '../../contract/errors/exit-codes.ts'
import { type Env, isEnabled } from '../terminal/colour.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import type { NodeInput, NodeOutput, Streams } from '../terminal/streams.ts'

/** One answer to choose from. */
export interface Choice<T> {
  readonly name: string
  readonly value: T
  /** Shown while the choice is pointed at. */
  readonly description?: string
  /** True, or the reason why it cannot be chosen. */
  readonly disabled?: boolean | string
}

export interface QuestionOptions {
  /** Aborting it takes the question back: Interrupted. */
  readonly signal?: AbortSignal
}

export interface InputOptions extends QuestionOptions {
  readonly default?: string
  /** True, or the sentence that says what is wrong; asked again until true. */
  readonly validate?: (value: string) => boolean | string | Promise<boolean | string>
  /** Stars instead of what is typed. */
  readonly mask?: boolean
}

export interface SelectOptions extends QuestionOptions {
  /** Typing narrows the choices. */
  readonly searchable?: boolean
}

/** Questions to the person at the terminal, all on stderr. Every one throws NeedsTerminal or Interrupted instead of guessing. */
export interface Prompts {
  /** False when there is no terminal, or questions are switched off: every question would throw NeedsTerminal. */
  readonly isAvailable: boolean
  /** Yes or no; Enter alone is no. */
  confirm(message: string, options?: QuestionOptions): Promise<boolean>
  select<T>(message: string, choices: readonly Choice<T>[], options?: SelectOptions): Promise<T>
  input(message: string, options?: InputOptions): Promise<string>
  /** Nothing is shown while typing. */
  password(message: string, options?: QuestionOptions): Promise<string>
  /** True when exactly `name` was typed. One try. */
  confirmName(message: string, name: string, options?: QuestionOptions): Promise<boolean>
}

/** A question with nobody to answer it. */
export class NeedsTerminal extends Error {
  readonly exit: ExitName = 'usage'
  /** The question that could not be asked. */
  readonly question: string

  constructor(question: string) {
    super(`There is no terminal to ask on: ${question}`)
    this.name = 'NeedsTerminal'
    this.question = question
  }
}

/** Ctrl-C, end of input, or an aborted signal while a question was open. */
export class Interrupted extends Error {
  readonly exit: ExitName = 'interrupted'

  constructor(cause?: unknown) {
    super('Interrupted.', { cause })
    this.name = 'Interrupted'
  }
}

export interface PromptOptions {
  readonly streams: Streams
  /** The Node streams under stdin and stderr: keys are read from the one, questions drawn on the other. */
  readonly input: NodeInput
  readonly output: NodeOutput
  readonly env: Env
  /** False with `--no-input` and what implies it. */
  readonly interactive: boolean
  /** Whether stderr gets colour. */
  readonly colour: boolean
  /** Aborted when the run is interrupted: takes back whatever question is open. */
  readonly signal?: AbortSignal
}

/** What really asks; texts are already safe to show. */
export interface Prompter {
  confirm(message: string, signal: AbortSignal | undefined): Promise<boolean>
  select<T>(
    message: string,
    choices: readonly Choice<T>[],
    searchable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<T>
  input(message: string, options: InputOptions, signal: AbortSignal | undefined): Promise<string>
  password(message: string, signal: AbortSignal | undefined): Promise<string>
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
 * Questions on a terminal. Redrawn in place where the terminal can, line by line with numbered choices where it cannot or
 * should not (ACCESSIBLE, TERM=dumb, no width).
 */
export function createPrompts(options: PromptOptions): Prompts {
  const { streams, input, output, env, colour } = options
  // Both ends must be terminals: an empty line from a pipe would otherwise answer with the default.
  const possible = options.interactive && streams.stdin.isTTY && streams.stderr.isTTY
  const isPlain = isEnabled(env.ACCESSIBLE) || env.TERM === 'dumb' || streams.stderr.columns === 0
  let prompter: Promise<Prompter> | undefined
  const open = (): Promise<Prompter> => {
    prompter ??= isPlain
      ? import('./line-prompter.ts').then((it) => it.createLinePrompter(input, streams.stderr))
      : import('./inquirer-prompter.ts').then((it) => it.createInquirerPrompter(input, output, colour))
    return prompter
  }

  const askQuestion = async <T>(
    message: string,
    given: QuestionOptions,
    callPrompter: (prompter: Prompter, question: string, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> => {
    const question = safeText(message)
    if (!possible) throw new NeedsTerminal(question)
    const signals = [given.signal, options.signal].filter((it) => it !== undefined)
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
    const ready = await open()
    if (signal?.aborted) throw new Interrupted(signal.reason)
    const { discardTypeahead } = await import('./discard-typeahead.ts')
    await discardTypeahead(input, signal)
    return callPrompter(ready, question, signal)
  }

  return {
    isAvailable: possible,
    confirm: (message, given = {}) =>
      askQuestion(message, given, (it, question, signal) => it.confirm(question, signal)),
    select: (message, choices, given = {}) =>
      askQuestion(message, given, (it, question, signal) =>
        it.select(question, choices.map(sanitizeChoice), given.searchable ?? false, signal),
      ),
    input: (message, given = {}) =>
      askQuestion(message, given, (it, question, signal) => it.input(question, given, signal)),
    password: (message, given = {}) =>
      askQuestion(message, given, (it, question, signal) => it.password(question, signal)),
    confirmName: (message, name, given = {}) => {
      const wanted = safeLine(name).trim()
      return askQuestion(
        `${message} Type ${wanted} to go on:`,
        given,
        async (it, question, signal) => (await it.input(question, {}, signal)).trim() === wanted && wanted !== '',
      )
    },
  }
}
