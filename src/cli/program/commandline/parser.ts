import { Command as Commander, CommanderError, Option } from 'commander'
import { isRequired, unwrap } from '../../../contract/endpoint/coerce.ts'
import { stringifyJson } from '../../../node/json.ts'
import { usageError } from '../errors/usage-error.ts'
import { listFlagSyntax } from '../lists/list-flags.ts'
import { waitFlags, withDefaultCondition } from '../waiting/waitable.ts'
import { closestMatch } from './closest-match.ts'
import { argumentUsage, type Command, type CommandFlag, riskOf } from './command.ts'
import { bodyFlags, camel, type FieldFlag, fieldFlags, forceFlag, ifUnchangedFlag } from './field-flags.ts'
import { type GlobalOptions, globalFlags, shadowedGlobalFlags, unsupportedFlagHints } from './global-flags.ts'
import { spelledAs } from './spelling.ts'

/** Result of parsing a command line. */
export interface ParsedCommand {
  readonly globals: GlobalOptions
  readonly argument: string | undefined
  /** The arguments as separate words. */
  readonly words: readonly string[]
  /** Values of all flags that are not global. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly fields: readonly FieldFlag[]
}

/** Thrown for `--help`. Not an error. */
export class HelpRequested extends Error {}

const collect = (value: string, all: string[] | undefined): string[] => [...(all ?? []), value]

const isRepeatable = (flags: string): boolean => /^--(set|set-json|unset) /.test(flags)

/** Returns the body flags of a command whose file holds rows. */
const rowFileFlags = (rows: 'always' | 'maybe'): readonly { readonly flags: string; readonly describe: string }[] => {
  const describe = `${rows === 'maybe' ? 'Read recipients from the rows of a file' : 'Read rows from a file'}: CSV, NDJSON, a JSON or YAML list; - for standard input`
  return bodyFlags.map((it) => (it.flags.includes('--file ') ? { flags: it.flags, describe } : it))
}

/** Option of a field, whose value has a name that no global flag has. */
class FieldOption extends Option {
  readonly #key: string

  constructor(flags: string, describe: string, key: string) {
    super(flags, describe)
    this.#key = key
  }

  override attributeName(): string {
    return this.#key
  }
}

/** Restricts the values of a flag, in any case. Older spellings are replaced by the current ones. */
function acceptChoices(
  option: Option,
  choices: readonly string[],
  older: Readonly<Record<string, string>> = {},
): Option {
  option.choices(choices)
  const { parseArg } = option
  return option.argParser((text: string, before: unknown) =>
    parseArg?.(older[spelledAs(text, Object.keys(older)) ?? ''] ?? spelledAs(text, choices) ?? text, before),
  )
}

/**
 * Returns other spellings of a flag that takes the id of a resource: with "id" at its end, and the name of its field, so that
 * `--assistant` and `--assistant-id` are the same on every command.
 */
const idSpellings = ({ flags, field }: CommandFlag): readonly string[] => {
  const [long = '', placeholder] = flags.split(' ')
  return placeholder === '<id>' && !/-id$/.test(long)
    ? [`${long}-id`, ...(field ? [`--${field.replaceAll('_', '-')}`] : [])]
    : []
}

/**
 * Builds the parser of one command. The order is that of precedence: fields and flags of the command, then other spellings of ids,
 * flags of lists and of all commands, which are omitted where the name is taken.
 */
export function createParser(words: string, command: Command): Commander {
  const parser = new Commander(`parley ${words}`)
  parser
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .helpOption(false)
    .helpCommand(false)
    .allowExcessArguments(false)
    // Its suggestions leave out hidden flags.
    .showSuggestionAfterError(false)
  if (command.argument) parser.argument(argumentUsage(command.argument), command.argument.describe)
  for (const flag of fieldFlags(command)) {
    parser.addOption(new FieldOption(flag.flags, flag.describe, flag.key))
    if (flag.isBoolean) parser.addOption(new FieldOption(`--no-${flag.long.slice(2)}`, '', flag.key).hideHelp())
    if (!flag.alias) continue
    parser.addOption(new FieldOption(flag.flags.replace(flag.long, flag.alias), flag.describe, flag.key).hideHelp())
    if (flag.isBoolean) parser.addOption(new FieldOption(`--no-${flag.alias.slice(2)}`, '', flag.key).hideHelp())
  }
  const ownFlags = [...(command.flags ?? []), ...(command.waits ? waitFlags(command.waits) : [])]
  for (const { flags, describe, choices, hiddenChoices, repeatable, key, hidden = false } of ownFlags) {
    const option = (key ? new FieldOption(flags, describe, key) : new Option(flags, describe)).hideHelp(hidden)
    if (repeatable) option.argParser(collect)
    else if (choices) acceptChoices(option, choices, hiddenChoices)
    parser.addOption(option)
  }
  for (const flag of command.flags ?? [])
    for (const long of idSpellings(flag))
      if (!parser.options.some((own) => own.long === long)) {
        const [given = '', placeholder = ''] = flag.flags.split(' ')
        const option = new FieldOption(`${long} ${placeholder}`, flag.describe, flag.key ?? camel(given.slice(2)))
        parser.addOption((flag.repeatable ? option.argParser(collect) : option).hideHelp())
      }
  for (const flags of command.isList ? listFlagSyntax : []) {
    const option = new Option(flags).hideHelp()
    // A flag of the command itself takes precedence.
    if (parser.options.some((own) => own.long === option.long)) continue
    parser.addOption(option.long === '--filter' ? option.argParser(collect) : option)
  }
  if (command.endpoint?.body)
    for (const { flags, describe } of command.rows ? rowFileFlags(command.rows) : bodyFlags)
      parser.addOption(
        isRepeatable(flags) ? new Option(flags, describe).argParser(collect) : new Option(flags, describe),
      )
  if (command.endpoint?.method === 'PUT' && command.endpoint.body && command.endpoint.auth !== 'control')
    parser.addOption(new Option(ifUnchangedFlag.flags, ifUnchangedFlag.describe))
  // The error that it overrides names it.
  if (
    command.endpoint?.body &&
    riskOf(command) !== 'read' &&
    !parser.options.some((own) => own.long === forceFlag.flags)
  )
    parser.addOption(new Option(forceFlag.flags, forceFlag.describe).hideHelp())
  for (const { flags, describe, choices, isStandalone } of globalFlags) {
    if (isStandalone) continue
    const option = new Option(flags, describe).hideHelp()
    // A field of the same name takes precedence over the global flag.
    if (parser.options.some((own) => own.long === option.long)) continue
    parser.addOption(choices ? acceptChoices(option, choices) : option)
  }
  if (riskOf(command) !== 'read' && command.endpoint)
    parser.addOption(new Option('--confirm <name>', 'Name of the protected profile, as confirmation').hideHelp())
  return parser
}

/** Parses what follows the words of a command. @throws ClientFailure `usage` */
export function parseCommandLine(words: string, command: Command, rest: readonly string[]): ParsedCommand {
  const parser = createParser(words, command)
  try {
    parser.parse(withConditions(rest, command, parser), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) throw toUsageError(error, words, command, parser)
    throw error
  }
  const options = parser.opts<GlobalOptions & { help?: boolean }>()
  if (options.help) throw new HelpRequested()
  for (const flag of fieldFlags(command)) requireUnshadowedFlag(words, flag, options as Record<string, unknown>)
  return {
    globals: options,
    argument: command.argument?.isVariadic && parser.args.length > 0 ? parser.args.join(' ') : parser.args[0],
    words: parser.args,
    flags: options as Record<string, unknown>,
    fields: fieldFlags(command),
  }
}

/** Completes `--wait` without a condition, which takes its value only after "=". */
function withConditions(rest: readonly string[], { waits }: Command, { options }: Commander): string[] {
  const takesValue = (word: string): boolean =>
    options.some((it) => it.required && (it.long === word || it.short === word))
  return waits ? withDefaultCondition(rest, waits, takesValue) : [...rest]
}

/**
 * Rejects a global flag on a command with a field of that name. A command line of version 0.1 then never changes its
 * meaning silently.
 */
function requireUnshadowedFlag(
  words: string,
  { field, long, key }: FieldFlag,
  options: Readonly<Record<string, unknown>>,
): void {
  const name = `--${field.replaceAll('_', '-')}`
  const { sets, use, refused } = shadowedGlobalFlags[name] ?? {}
  if (sets === undefined) return
  const noun = (words.split(' ', 1)[0] as string).replace(/s$/, '')
  if (refused !== undefined) {
    if (options[field] === undefined) return
    throw usageError(
      `${name} is ambiguous in "parley ${words}": it could set the ${field} of the ${noun} or ${sets}. Nothing was sent.`,
      `Pass ${long} ${options[field]} for the ${noun}, or ${use} ${options[field]} for the request. From version ${refused.replace(/\.0$/, '')} on, ${name} sets the ${field} of the ${noun}.`,
    )
  }
  const value = options[key]
  if (!globalFlags.some((it) => it.flags.startsWith(`${name} `) && it.choices?.includes(String(value)))) return
  throw usageError(
    `${long} sets the ${field} of the ${noun} in "parley ${words}", and "${value}" is not a valid ${field}. Nothing was sent.`,
    `To set ${sets}, use ${use}.`,
  )
}

/** Suggests a flag for an unknown one. */
function suggestFlag(error: CommanderError, words: string, command: Command, parser: Commander): string {
  const [, unknown] = /^error: unknown option '([^']+)'$/.exec(error.message) ?? []
  if (unknown && argumentNamed(unknown, parser)) return ''
  const known = parser.options.flatMap((it) => it.long ?? [])
  const own = parser.options.flatMap((it) => (it.hidden ? [] : (it.long ?? [])))
  // Some flags have their noun as a prefix, so users may add it to other flags as well.
  const noun = `--${words.split(' ', 1)[0]?.replace(/s$/, '')}-`
  const guess =
    unknown &&
    (flagOfField(unknown, command) ||
      closestMatch(
        unknown,
        own.filter((name) => name.startsWith(noun)),
      ) ||
      (unknown.startsWith(noun) && closestMatch(`--${unknown.slice(noun.length)}`, known)) ||
      findFlagEndingIn(unknown, own) ||
      closestMatch(unknown, known))
  return guess ? `. Did you mean ${guess}?` : ''
}

/** Returns the flag that sets a field under another name: `--sender` for `--messaging-sender-id`. */
const flagOfField = (unknown: string, { flags = [] }: Command): string | undefined =>
  flags.find((it) => it.field && `--${it.field.replaceAll('_', '-')}` === unknown)?.flags.match(/--[\w-]+/)?.[0]

/** Returns the argument of the command that an unknown flag names: `name` for `--name`. */
const argumentNamed = (unknown: string, parser: Commander): string | undefined =>
  parser.registeredArguments.map((it) => it.name()).find((name) => `--${name}` === unknown)

/** Returns the only flag of the command that ends in the typed name: `--webhook-url` for `--url`. */
function findFlagEndingIn(unknown: string, known: readonly string[]): string | undefined {
  const found = known.filter((it) => it.endsWith(unknown.slice(1)))
  return unknown.length > 4 && found.length === 1 ? found[0] : undefined
}

/** Rewords a message of the parser: `Missing value for --output`. */
function describeParserError(message: string): string {
  return message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/^unknown option '([^']+)'/, 'unknown flag "$1"')
    .replace(/^option '(?:-\w, )?(-[^ ']+)[^']*' argument missing/, 'missing value for $1')
    .replace(
      /^option '(?:-\w, )?(-[^ ']+)[^']*' argument '(.*)' is invalid\. Allowed choices are /,
      'invalid value "$2" for $1. Allowed values: ',
    )
    .replace(/^too many arguments\. Expected (\d+) arguments? but got (\d+)/, 'too many arguments: expected $1, got $2')
}

/** Returns whether an argument looks like a file with data. */
const isFileName = (it: string): boolean => /\.(json|ya?ml|csv|tsv|ndjson|jsonl|xlsx|txt)$/i.test(it)

const quoted = (text: string): string => (/^[\w@.+-]+$/.test(text) ? text : stringifyJson(text))

/** Returns the flag that takes the name of a new record, or its only required text. */
function nameFlag(command: Command): string | undefined {
  const flags = fieldFlags(command)
  const required = flags.filter(({ schema }) => unwrap(schema).kind === 'string' && isRequired(schema))
  return (flags.find(({ field }) => field === 'name') ?? (required.length === 1 ? required[0] : undefined))?.long
}

function toUsageError(error: CommanderError, words: string, command: Command, parser: Commander): Error {
  const text = describeParserError(error.message) + suggestFlag(error, words, command, parser)
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  const excess = error.code === 'commander.excessArguments'
  const condition = excess && parser.args.find((it) => command.waits && Object.hasOwn(command.waits.conditions, it))
  if (condition) return usageError(sentence, `To wait for a condition, write --wait=${condition}.`)
  const file = excess && parser.options.some((it) => it.long === '--file') && parser.args.find((it) => isFileName(it))
  if (file) return usageError(sentence, `To read a file: parley ${words} --file ${file}`)
  const given = excess && parser.registeredArguments.length === 0 ? parser.args[0] : undefined
  if (given !== undefined && command.isList && /^(?:list|ls|all)$/.test(given))
    return usageError(sentence, `Omit "${given}": parley ${words} lists them.`)
  const named = given === undefined ? undefined : nameFlag(command)
  if (given !== undefined && named)
    return usageError(sentence, `Pass it with a flag: parley ${words} ${named} ${quoted(parser.args.join(' '))}`)
  const bare = excess
    ? `${parser.registeredArguments.length > 0 ? 'Takes one argument. Pass other values' : 'Takes no arguments. Pass values'} with flags. `
    : ''
  const [, unknown = ''] = /^error: unknown option '([^'=]+)/.exec(error.message) ?? []
  const argument = argumentNamed(unknown, parser)
  return usageError(
    /[.?)]$/.test(sentence) ? sentence : `${sentence}.`,
    (argument && `Pass the ${argument} as an argument: parley ${words} <${argument}>. See: parley ${words} --help.`) ??
      unsupportedFlagHints[unknown] ??
      `${bare}See: parley ${words} --help.`,
  )
}
