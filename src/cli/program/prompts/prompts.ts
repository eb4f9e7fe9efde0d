import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { Env } from '../terminal/color.ts'
import type { NodeInput, NodeOutput, Streams } from '../terminal/streams.ts'

/** A choice of a selection prompt. */
export interface Choice<T> {
  readonly name: string
  readonly value: T
  /** Shown while the choice is highlighted. */
  readonly description?: string
  /** True, or the reason why it is not available. */
  readonly disabled?: boolean | string
}

/** Options of every prompt. */
export interface QuestionOptions {
  /** Aborting it closes the prompt with Interrupted. */
  readonly signal?: AbortSignal
}

interface InputOptions extends QuestionOptions {
  readonly default?: string
  /** Returns true, or the error message; the prompt repeats until true. */
  readonly validate?: (value: string) => boolean | string | Promise<boolean | string>
  /** Shows stars instead of the typed text. */
  readonly mask?: boolean
}

interface SelectOptions extends QuestionOptions {
  /** Typing filters the choices. */
  readonly searchable?: boolean
}

/** Prompts on stderr. Each throws NeedsTerminal without a terminal and Interrupted when it is closed. */
export interface Prompts {
  /** False without a terminal or with --no-input: every prompt would throw NeedsTerminal. */
  readonly isAvailable: boolean
  /** Asks yes or no (default: no). */
  confirm(message: string, options?: QuestionOptions): Promise<boolean>
  select<T>(message: string, choices: readonly Choice<T>[], options?: SelectOptions): Promise<T>
  input(message: string, options?: InputOptions): Promise<string>
  /** Reads text without echo. */
  password(message: string, options?: QuestionOptions): Promise<string>
  /** Returns true if exactly `name` was typed, with one attempt. */
  confirmName(message: string, name: string, options?: QuestionOptions): Promise<boolean>
}

/** Thrown for a prompt without a terminal to show it on. */
export class NeedsTerminal extends Error {
  readonly exit: ExitName = 'usage'
  /** The question of the prompt. */
  readonly question: string

  constructor(question: string) {
    super(`Cannot prompt without a terminal: ${question}`)
    this.name = 'NeedsTerminal'
    this.question = question
  }
}

/** Thrown for Ctrl-C, the end of input, or an aborted signal during a prompt. */
export class Interrupted extends Error {
  readonly exit: ExitName = 'interrupted'

  constructor(cause?: unknown) {
    super('Interrupted.', { cause })
    this.name = 'Interrupted'
  }
}

/** Where prompts are drawn, and whether they may be. */
export interface PromptOptions {
  readonly streams: Streams
  /** The Node streams of stdin and stderr: keys are read from one, prompts are drawn on the other. */
  readonly input: NodeInput
  readonly output: NodeOutput
  readonly env: Env
  /** False with `--no-input` and with flags that imply it. */
  readonly interactive: boolean
  /** Whether stderr gets color. */
  readonly color: boolean
  /** Aborted when the run is interrupted: closes an open prompt. */
  readonly signal?: AbortSignal
}

/** Shows the prompts; texts are already sanitized. */
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
