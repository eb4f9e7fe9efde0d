import type { Endpoint, Input, Output } from '../../../contract/endpoint/endpoint.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import type { CommandFlag, Invocation } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'

/** A condition by the states of a resource. A state that is in neither list ended otherwise. */
interface WaitCondition {
  /** States in which the condition is met. */
  readonly reached: readonly string[]
  /** States from which it can still be met. */
  readonly pending: readonly string[]
}

/** What identifies a resource that is waited for: what its reading endpoint needs. */
export type WaitIds = Readonly<Record<string, unknown>>

/** Reads the platform during a wait. */
export interface WaitReader {
  readonly call: <E extends Endpoint>(endpoint: E, input: Input<E>) => Promise<Output<E>>
  readonly context: Context
}

/** State of a resource that the platform does not have (yet). `-o ndjson` prints it as `state` for scripts: it never changes. */
export const absent = 'not_found'

/** How a resource that changes after the command has ended is waited for. Each noun declares its own once. */
export interface Waitable {
  /** Singular noun for messages, and `resource` of the events of `-o ndjson`, which scripts read. */
  readonly singular: string
  /** The conditions by the values of `--wait`. The first one is the default. Scripts have these words: they are added, not renamed. */
  readonly conditions: Readonly<Record<string, WaitCondition>>
  /** The endpoint that reads it, if only some platforms have it. */
  readonly endpoint?: Endpoint
  /** Reads the resource; undefined if the platform does not have it. */
  read(from: WaitReader, ids: WaitIds): Promise<object | undefined>
  /** Returns the state of what was read, one of those in the conditions or another one. */
  stateOf(record: object, context: Context): string
  /** Returns what is missing, or why it ended otherwise, as a clause for people. */
  detailOf?(from: WaitReader, record: object, ids: WaitIds): Promise<string | undefined>
  /** Returns the command that shows it. Without one, the same command line waits again. */
  shownBy?(ids: WaitIds): ShowCommand
  /** What continues after the wait, in a sentence, if that is not the resource itself. */
  readonly continuing?: string
  /** What is read is added to the result of the command, and does not replace it. */
  readonly addsToResult?: true
}

/** The command that shows a resource, and can wait for it later. */
export interface ShowCommand {
  readonly words: string
  readonly argument?: string
  /** Flags and values by their names in an invocation, such as `knowledge`. */
  readonly flags?: Readonly<Record<string, string>>
  /** False if it only shows the resource and cannot wait for it. */
  readonly canWait?: false
}

/** What a command line waits for. */
export interface WaitRequest {
  readonly waitable: Waitable
  readonly condition: string
  readonly timeoutMs: number
}

const defaultTimeout = '10m'

/** Returns the flags of a command that can wait. */
export function waitFlags({ conditions }: Waitable): readonly CommandFlag[] {
  const names = Object.keys(conditions)
  return [
    {
      flags: '--wait [condition]',
      describe: `Wait for a condition (default: ${names[0]})`,
      choices: names,
    },
    {
      flags: '--wait-timeout <duration>',
      describe: `Maximum time to wait, such as 90s or 2h (default: ${defaultTimeout})`,
    },
  ]
}

/**
 * Gives `--wait` without a value its default, so that the parser never takes the next word as its value. `takesValue` tells whether a word
 * is a flag whose value follows it.
 */
export function withDefaultCondition(
  words: readonly string[],
  { conditions }: Waitable,
  takesValue: (word: string) => boolean,
): string[] {
  const end = words.indexOf('--')
  return words.map((word, n) =>
    word === '--wait' && (end < 0 || n < end) && !takesValue(words[n - 1] ?? '')
      ? `--wait=${Object.keys(conditions)[0]}`
      : word,
  )
}

/** Returns what the flags ask to wait for; undefined without `--wait`. @throws ClientFailure `usage` */
export function waitRequest(waitable: Waitable, { wait, waitTimeout }: Invocation['flags']): WaitRequest | undefined {
  if (wait === undefined) {
    if (waitTimeout !== undefined)
      throw usageError('--wait-timeout requires --wait.', 'Pass both: --wait --wait-timeout 5m.')
    return undefined
  }
  const timeoutMs = parseDuration(String(waitTimeout ?? defaultTimeout))
  if (timeoutMs === undefined || timeoutMs === 0)
    throw usageError(`Invalid --wait-timeout "${waitTimeout}".`, 'Use a time such as 90s, 30m, 2h or 1d.')
  return { waitable, condition: String(wait), timeoutMs }
}
