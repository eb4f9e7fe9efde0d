import type * as z from 'zod'
import type { Endpoint, Risk } from '../../../contract/endpoint/endpoint.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { Context } from '../context.ts'
import type { View } from '../output/format.ts'
import type { Source } from '../terminal/streams.ts'
import type { Waitable } from '../waiting/waitable.ts'

/** A flag of one command, beside the flags derived from its endpoint. */
export interface CommandFlag {
  /** Flag in the syntax of commander: `--max-price <usd>`, `--country <code>`. */
  readonly flags: string
  readonly describe: string
  readonly choices?: readonly string[]
  /** Older spellings of choices, which are accepted but not shown. */
  readonly hiddenChoices?: Readonly<Record<string, string>>
  readonly env?: string
  /** May be passed several times; its value is a list. */
  readonly repeatable?: true
  /** Accepted but not shown in help: an older name. */
  readonly hidden?: true
  /** Name of its value among the parsed flags, if a global flag has the usual one. */
  readonly key?: string
  /** Field of the endpoint that the flag sets under a shorter name. Errors of the field then name the flag. */
  readonly field?: string
}

/** The argument after the verb. */
export interface Argument {
  readonly name: string
  readonly describe: string
  /** If it is missing, the command prompts for it or does without. */
  readonly optional?: boolean
  /** Accepts several words, which are joined with spaces. */
  readonly isVariadic?: true
}

/** Formats an argument for a usage line: `<id>`, `[topic...]`. */
export const argumentUsage = ({ name, optional, isVariadic }: Argument): string => {
  const words = isVariadic ? `${name}...` : name
  return optional === false ? `<${words}>` : `[${words}]`
}

/** Values of a command's own flags and of its endpoint's fields, by name. */
export type CommandInput = Record<string, unknown>

/** The parsed command line, before any name is resolved. */
export interface Invocation {
  readonly argument: string | undefined
  /** The arguments as separate words. */
  readonly words: readonly string[]
  /** Fields of the endpoint: file, --data, --set and flags combined. */
  readonly input: CommandInput
  /** Whether `--file` holds rows, which the command reads itself. */
  readonly holdsRows?: boolean
  /** Standard input, if part of it was already read. */
  readonly stdin?: Source | undefined
  /** The command's own flags, in camelCase. Read a repeatable flag with `repeatedFlag`. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
}

/** Converts a document to fields of the request. `where` is its file, for errors. */
export type DocumentParser = (
  context: Context,
  document: unknown,
  where: string,
  chosen: string | undefined,
) => Promise<CommandInput>

/**
 * Declaration of a command: its input, risk, documentation and implementation. Scripts rely on its name, flags, JSON fields and exit
 * codes: they are added and not renamed, and an old flag stays with `hidden`. Its examples and notes become its help and its page,
 * and each example runs as a test.
 */
export interface Command {
  /** One sentence (default: the summary of the endpoint). */
  readonly summary?: string
  /** The endpoint that the command calls, source of its flags, risk and errors. */
  readonly endpoint?: Endpoint
  /** Its endpoint needs control of the platform, and the command also works on a remote deployment without. */
  readonly worksWithoutControl?: true
  readonly argument?: Argument
  readonly flags?: readonly CommandFlag[]
  /** Schema of a file or --data, if it accepts more than the body of the endpoint. */
  readonly document?: z.ZodObject
  /** Converts the content of a file or --data to fields. `chosen` selects one of several resources in it. */
  readonly documentParser?: DocumentParser
  /** Whether such a document may be a list. */
  readonly acceptsLists?: true
  /**
   * Whether `--file` holds rows, each of them a request: `always`, or `maybe` if it looks like rows. The command reads
   * them itself.
   */
  readonly rows?: 'always' | 'maybe'
  /** Fields of the endpoint without a flag, because the command fills them. */
  readonly filledFields?: readonly string[]
  /**
   * The only fields accepted from --set, --data and --file, because the command builds the body itself. Others are
   * rejected. By default all fields are sent.
   */
  readonly allowedFields?: readonly string[]
  /** Command lines after `parley <noun> <verb>`. */
  readonly examples: readonly string[]
  /** Whether it prints a list of records, which --filter and --sort accept. */
  readonly isList?: true
  /** With one of its flags it changes several resources (`changeSelected`), and prints a list of what was done with each. */
  readonly changesSelected?: true
  /** How its items are displayed, and the fields that `--fields` accepts. */
  readonly view?: View<never>
  /** What it prints instead of `view` with one of its flags. */
  readonly otherView?: View<never>
  /** Risk without an endpoint, or if the command is more or less dangerous than its endpoint. */
  readonly risk?: Risk
  /** Supports --dry-run and --print-curl without an endpoint. Other writes without an endpoint reject these flags. */
  readonly supportsPreview?: true
  /** A local platform that is created for this command gets no sample data. */
  readonly startsEmpty?: true
  /** Replaces the data of a local platform, so that a data folder that has lost its database or encryption key is opened. */
  readonly acceptsMissingData?: true
  /** Says itself that the database is damaged. */
  readonly acceptsDamage?: true
  /** Its records have times of the computer that serves them, which are not moved with the clock of the platform. */
  readonly hasComputerTimes?: true
  /** Runs without a readable configuration, because the command reports its problems. */
  readonly worksWithoutSettings?: true
  /** Sends requests to a platform without naming an endpoint. */
  readonly callsPlatform?: true
  /** Exit codes beyond those derived from its endpoint and risk. */
  readonly exits?: readonly ExitName[]
  /** `--confirm` may name the resource instead of the profile; the command checks the name before it sends anything. */
  readonly confirmsName?: true
  /** The condition under which it requires `--confirm <name>`, in place of `--yes`. Otherwise it requires neither. */
  readonly requiresName?: string
  /**
   * Stops or reverts what may do harm, so it continues with a warning when its undo cannot be saved, or when what it
   * checks first cannot be read.
   */
  readonly reducesHarm?: true
  /**
   * What to do on a platform without the capability of the endpoint: the hint of the error. By default it names the
   * local platform.
   */
  readonly elsewhere?: string
  /**
   * What it starts or shows, which changes later: it gets `--wait` and `--wait-timeout`. A resource whose record has no `id`, or needs
   * more to be read, is named by `context.nameStarted`.
   */
  readonly waits?: Waitable
  /** A coding agent may not run it, and no approval replaces that. Its endpoint says so for what it sends (`byPerson`). */
  readonly needsPerson?: true
  /** Longer explanation below the summary. */
  readonly notes?: string
  run(context: Context, invocation: Invocation): Promise<ExitName | undefined | void>
}

/** Declares a command. */
export const command = (definition: Command): Command => definition

/** Returns the values of a repeatable flag. */
export const repeatedFlag = (flags: Invocation['flags'], name: string): readonly string[] =>
  (flags[name] ?? []) as readonly string[]

/** Returns the risk of a command (default: that of its endpoint, otherwise `read`). */
export const riskOf = (it: Command): Risk => it.risk ?? it.endpoint?.risk ?? 'read'

/** Whether a command accepts --dry-run and --print-curl. Writes without a request must not be carried out instead. */
export const acceptsPreview = (command: Command): boolean =>
  command.endpoint !== undefined || command.supportsPreview === true || riskOf(command) === 'read'
