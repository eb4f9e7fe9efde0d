import type * as z from 'zod'
import type { ExitName } from '../../contract/errors/exit-codes.ts'
import type { Endpoint, Risk } from '../../contract/mechanics/endpoint.ts'
import type { Context } from '../context.ts'
import type { View } from '../output/form.ts'
import type { Source } from '../terminal/streams.ts'

/** A flag of a command's own, beside those that come from its endpoint. */
export interface CommandFlag {
  /** As commander writes it: `--max-price <usd>`, `--country <code>`. */
  readonly flags: string
  readonly describe: string
  readonly choices?: readonly string[]
  readonly env?: string
  /** May be given several times: its value is a list. */
  readonly repeatable?: true
  /** Works and is not shown: an older name. */
  readonly hidden?: true
  /** The endpoint's field it gives under a shorter name: what the platform says about the field is told of the flag. */
  readonly field?: string
}

/** The one word after the verb. */
export interface Argument {
  readonly name: string
  readonly describe: string
  /** Left out: the command asks, or does without. */
  readonly optional?: boolean
  /** Several words, which are given to the command with a space between. */
  readonly isVariadic?: true
}

/** An argument as a usage line shows it: `<id>`, `[topic...]`. */
export const argumentUsage = ({ name, optional, isVariadic }: Argument): string => {
  const words = isVariadic ? `${name}...` : name
  return optional === false ? `<${words}>` : `[${words}]`
}

/** Values of a command's own flags and of its endpoint's fields, by name. */
export type CommandInput = Record<string, unknown>

/** What the command line said, before anything is looked up. */
export interface Invocation {
  readonly argument: string | undefined
  /** The endpoint's fields: file, --data, --set and flags combined. */
  readonly input: CommandInput
  /** Whether `--file` holds rows, which are the command's to read. */
  readonly holdsRows?: boolean
  /** What is piped in, where some of it was read already. */
  readonly stdin?: Source | undefined
  /** The command's own flags, camelCase. One that may be repeated is read with `repeated`. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
}

/** Fields of the request in a document; `where` is its file, for errors. */
export type DocumentParser = (
  context: Context,
  document: unknown,
  where: string,
  chosen: string | undefined,
) => Promise<CommandInput>

/** A command is data: what it takes, how dangerous it is, and what it does once everything is there. */
export interface Command {
  /** One sentence; the endpoint's summary unless given. */
  readonly summary?: string
  /** The call it makes: its options, its risk and its errors come from here. */
  readonly endpoint?: Endpoint
  readonly argument?: Argument
  readonly flags?: readonly CommandFlag[]
  /** What a file or --data may hold where it is more than the endpoint's body. */
  readonly document?: z.ZodObject
  /** Turns what a file or --data holds into fields, where it may be something else than fields. `chosen`: which of several in it is meant. */
  readonly documentParser?: DocumentParser
  /** Whether such a document may be a list. */
  readonly acceptsLists?: true
  /** `--file` holds rows, each of them a request: `always`, or where it looks like some. Then it is for the command to read. */
  readonly rows?: 'always' | 'maybe'
  /** Fields of the endpoint that have no flag: the command fills them. */
  readonly filledFields?: readonly string[]
  /** The only fields it takes of --set, --data and --file, as it makes the body itself: any other would be dropped, and is refused. Absent: all are sent on. */
  readonly allowedFields?: readonly string[]
  /** Command lines after `parley <noun> <verb>`. */
  readonly examples: readonly string[]
  /** How its items look; also what `--fields` may name. */
  readonly view?: View<never>
  /** Risk when there is no endpoint, or when the terminal must be more or less careful than it. */
  readonly risk?: Risk
  /** Shows with --dry-run and --print-curl what it would send, though it names no endpoint. Other writes without one refuse these flags. */
  readonly supportsPreview?: true
  /** A platform that is made for this command stays empty. */
  readonly startsEmpty?: true
  /** Says what is wrong with the configuration, and so runs without one that can be read. */
  readonly worksWithoutSettings?: true
  /** Asks a platform though it names no endpoint. */
  readonly callsPlatform?: true
  /** Ways it can end beside those that its endpoint and its risk tell. */
  readonly exits?: readonly ExitName[]
  /** Longer explanation under the summary. */
  readonly notes?: string
  run(context: Context, invocation: Invocation): Promise<ExitName | undefined | void>
}

/** Declares a command. */
export const command = (definition: Command): Command => definition

/** The values of a flag that may be given several times. */
export const repeatedFlag = (flags: Invocation['flags'], name: string): readonly string[] =>
  (flags[name] ?? []) as unknown as readonly string[]

export const riskOf = (it: Command): Risk => it.risk ?? it.endpoint?.risk ?? 'read'
