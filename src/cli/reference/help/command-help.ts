import { isRequired } from '../../../contract/endpoint/coerce.ts'
import { isOnlyOnParley } from '../../../contract/endpoint/endpoint-origins.ts'
import { exitCodes } from '../../../contract/errors/exit-codes.ts'
import { acceptsPreview, argumentUsage, type Command, riskOf } from '../../program/commandline/command.ts'
import { commandTree, type Node, type Noun } from '../../program/commandline/command-tree.ts'
import { fieldFlags } from '../../program/commandline/field-flags.ts'
import { createParser } from '../../program/commandline/parser.ts'
import { inUseNote } from '../../program/consent/delete-resource.ts'
import { listFlagsOf } from '../../program/lists/list-flags.ts'
import { type HelpPage, type HelpPart, renderHelpPage } from './render-page.ts'

/** Command groups of `parley --help`. A command without a group fails `npm run generate`. */
const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Get started': ['demo', 'login', 'whoami', 'doctor', 'help'],
  Resources: [
    'assistants',
    'numbers',
    'tools',
    'knowledge',
    'keys',
    'billing',
    'sip-trunks',
    'folders',
    'labels',
    'voices',
    'languages',
    'models',
    'synthesizers',
    'transcribers',
  ],
  'Automations and messaging': [
    'automate',
    'messaging',
    'sms',
    'conversations',
    'replies',
    'calls',
    'campaigns',
    'leads',
    'contacts',
  ],
  'Local platform': ['server', 'ui', 'open', 'events'],
  'Safety and history': ['stop', 'resume', 'ops', 'history', 'refs', 'audit'],
  'Configuration as code': ['pull', 'diff', 'push', 'promote'],
  'Configuration and scripting': ['profile', 'api', 'schema', 'commands', 'skill', 'mcp', 'completion'],
}

/** Returns the line with the most used global flags. */
const globalFlagsLine = (command: Command): string =>
  `Global flags: --profile, --json, --yes${acceptsPreview(command) ? ', --dry-run' : ''}. All: parley help flags`

/** Returns the line with the flags of lists. */
const listFlagsLine = (command: Command): string =>
  `List flags: ${listFlagsOf(command)
    .map(({ flags }) => flags.replace(/ .*/, ''))
    .join(', ')}. See: parley help lists`

const consentNotes: Readonly<Record<string, string>> = {
  destructive: 'Destructive. Asks for confirmation on a terminal; scripts must pass --yes (exit code 10 without it).',
  severe:
    'Changes a live resource. Asks for confirmation on a terminal, by name if it is in use; scripts must pass --yes (exit code 10 without it).',
  outside:
    'Can have side effects outside the platform. If it has, it asks for confirmation on a terminal, and scripts must pass --confirm-side-effects (exit code 10 without it).',
  spends:
    'Spends money. Asks for confirmation on a terminal, with the price if it is known; scripts must pass --yes (exit code 10 without it).',
}

/** Renders the help of one command from its declaration. */
export const commandHelp = (words: string, command: Command, columns = 0, aliases: readonly string[] = []): string =>
  renderHelpPage(helpPage(words, command, aliases), columns)

/** Returns the help of a command as data, for the generated help table. */
export function helpPage(words: string, command: Command, aliases: readonly string[] = []): HelpPage {
  const options = createParser(words, command).options.filter((option) => !option.hidden)
  const argument = command.argument ? ` ${argumentUsage(command.argument)}` : ''
  const parts: HelpPart[] = [
    { prose: command.summary ?? command.endpoint?.summary ?? '' },
    { lines: `Usage: parley ${words}${argument}${options.length > 0 ? ' [flags]' : ''}` },
  ]
  if (aliases.length > 0) parts.push({ lines: `Aliases: ${aliases.join(', ')}` })
  if (command.argument) parts.push({ title: 'Argument:', rows: [[command.argument.name, command.argument.describe]] })
  if (options.length > 0)
    parts.push({
      title: 'Flags:',
      rows: options.map((option) => [shownFlag(option.flags), describe(words, command, option)]),
    })
  const risk = riskOf(command)
  // A resumed run or a raised event is already explicit and needs no confirmation.
  const needsConfirmation = risk !== 'outside' || options.some((option) => option.long === '--confirm-side-effects')
  const consent = command.requiresName
    ? `Destructive. If ${command.requiresName}, asks for its name on a terminal; scripts must pass --confirm <name> (exit code 10 without it). --yes is not enough, and not required.`
    : needsConfirmation
      ? command.notes?.includes(inUseNote)
        ? consentNotes[risk]?.replace('pass --yes', 'pass --yes, or --confirm <name> if it is in use')
        : consentNotes[risk]
      : undefined
  if (command.notes) parts.push({ prose: command.notes })
  if (consent) parts.push({ prose: consent })
  if (command.waits)
    parts.push({
      prose: `With --wait, the exit code is ${exitCodes.finding.code} if the condition cannot be reached any more, and ${exitCodes.timed_out.code} after --wait-timeout. The ${command.waits.singular} continues in both cases.`,
    })
  if (command.endpoint?.assumed && command.endpoint.auth !== 'control')
    parts.push({
      prose: `The specification does not describe this endpoint in full. ${describeAssumption(command.endpoint.assumed)}`,
    })
  parts.push(
    { title: 'Examples:', commands: command.examples.map((example) => `parley ${words} ${example}`.trimEnd()) },
    ...(command.isList ? [{ lines: listFlagsLine(command) }] : []),
    { lines: globalFlagsLine(command) },
  )
  return parts
}

/** Describes the source of an assumption: `public deployments`, `method and path: public deployments` or `only on ...`. */
function describeAssumption(source: string): string {
  if (isOnlyOnParley(source)) return `It exists ${source}.`
  const [, parts, place] = /^(.+): (.+)$/.exec(source) ?? []
  return parts === undefined
    ? `Parley assumes its behavior from ${source}.`
    : `Parley assumes its ${parts} from ${place}.`
}

/** An optional value follows "=". */
const shownFlag = (flags: string): string => flags.replace(' [', '[=')

function describe(
  words: string,
  command: Command,
  option: { readonly flags: string; readonly description: string; readonly argChoices?: string[] | undefined },
): string {
  const field = fieldFlags(command).find((flag) => flag.flags === option.flags)
  const choices = field?.choices ?? option.argChoices
  const [, text, ownDefault] = (choices && /^(.+) \((default: [^()]+)\)$/.exec(option.description)) ?? []
  const extras = [
    isRequiredFlag(words, command, option.flags) && 'required',
    choices && `one of: ${choices.join(', ')}`,
    ownDefault,
    field?.default !== undefined && `default: ${field.default}`,
  ].filter(Boolean)
  return `${text ?? option.description}${extras.length > 0 ? ` (${extras.join('; ')})` : ''}`
}

/** Returns whether a command that creates a resource needs a flag, unless a file or another flag sets its field. */
function isRequiredFlag(words: string, command: Command, flags: string): boolean {
  if (!words.endsWith(' create')) return false
  const own = command.flags?.find((flag) => flag.flags === flags)?.field
  const name = own ?? fieldFlags(command).find((flag) => flag.flags === flags)?.field
  const schema = name === undefined ? undefined : command.endpoint?.body?.shape[name]
  return schema !== undefined && isRequired(schema as Parameters<typeof isRequired>[0])
}

/** Returns the summary of a command or noun. */
export async function summaryOf(node: Node): Promise<string> {
  if (!node.load) return node.summary
  const command = await node.load()
  return command.summary ?? command.endpoint?.summary ?? ''
}

const summaryRow = async (name: string, node: Node): Promise<readonly [string, string]> => [name, await summaryOf(node)]

/** Returns the help of the program: every noun and command, in groups. */
export async function programPage(): Promise<HelpPage> {
  const listed = Object.values(commandGroups).flat()
  const missing = Object.keys(commandTree()).filter((it) => !listed.includes(it))
  if (missing.length > 0)
    throw new Error(`Commands without a group in src/cli/reference/help/command-help.ts: ${missing.join(', ')}`)
  const groups = Object.entries(commandGroups).map(async ([title, names]) => ({
    title: `${title}:`,
    rows: await Promise.all(names.map((name) => summaryRow(name, commandTree()[name] as Node))),
  }))
  return [
    { prose: 'Administer a conversational assistant platform.' },
    { lines: 'Usage: parley <noun> <verb> [id] [flags]' },
    ...(await Promise.all(groups)),
    { lines: 'More: parley <noun> --help, parley help flags, parley help topics' },
  ]
}

/** Returns the help of a noun: its verbs with aliases and summaries. */
export async function nounPage(words: string, noun: Noun): Promise<HelpPage> {
  // The singular of another alias is accepted, but not shown.
  const aliases = noun.aliases?.filter((it) => !noun.aliases?.includes(`${it}s`)) ?? []
  const verbs = Object.entries(noun.verbs).map(([name, verb]) =>
    summaryRow([name, ...(verb.aliases ?? [])].join(', '), verb),
  )
  return [
    { prose: noun.summary },
    { lines: `Usage: parley ${words} <verb> [flags]` },
    ...(aliases.length > 0 ? [{ lines: `Aliases: ${aliases.join(', ')}` }] : []),
    { title: 'Verbs:', rows: await Promise.all(verbs) },
    { lines: `More: parley ${words} <verb> --help` },
  ]
}
