import { commandTree, type Node } from '../../program/commandline/command-tree.ts'
import { bodyFlags, ifUnchangedFlag } from '../../program/commandline/field-flags.ts'
import { listFlagSyntax } from '../../program/lists/list-flags.ts'
import type { CommandDescription, DescribedFlag } from './command-descriptions.ts'
import { type MappedCommand, mapLine, usageOf } from './command-map.ts'

/** Most characters of the page of a noun or a command: about 1 000 tokens. Details that do not fit are left out. */
export const pageLength = 4000

/** Most flags of a command that the page of its noun names. */
const shownFlags = 10

const firstThatFits = (texts: Iterable<string>): string => {
  let shortest = ''
  for (const text of texts) {
    if (text.length <= pageLength) return text
    shortest = text
  }
  return shortest
}

/**
 * Returns the commands of a noun, with as many details as fit: flags and an example, an example, one line for each, or
 * nested nouns in one line.
 */
export function nounText(
  path: readonly string[],
  mapped: readonly MappedCommand[],
  described: readonly CommandDescription[],
): string {
  const head = [`parley ${path.join(' ')}: ${summaryOf(path)}`, '']
  const foot = ['', `Flags, exit codes and examples: parley commands ${path.join(' ')} <verb>`]
  const page = (lines: readonly string[]): string => [...head, ...lines, ...foot].join('\n')
  const detailsOf = (command: string): CommandDescription | undefined => described.find((it) => it.command === command)
  // The longest example says most.
  const example = (command: string): string[] =>
    (detailsOf(command)?.examples ?? [])
      .toSorted((one, other) => other.length - one.length)
      .slice(0, 1)
      .map((it) => `  ${it}`)
  const flags = (command: string): string[] => {
    const names = ownFlags(detailsOf(command)?.flags ?? [])
      .map(({ flag }) => flag)
      .filter((it) => !documentFlagNames.has(it))
    const shown = [...names.slice(0, shownFlags), ...(names.length > shownFlags ? ['...'] : [])]
    return shown.length > 0 ? [`  ${shown.join(' ')}`] : []
  }
  return firstThatFits(
    (function* () {
      yield page(mapped.flatMap((it) => [mapLine(it), ...flags(it.command), ...example(it.command)]))
      yield page(mapped.flatMap((it) => [mapLine(it), ...example(it.command)]))
      yield page(mapped.map(mapLine))
      yield page(withoutNested(path, mapped))
    })(),
  )
}

/** Returns a line for each verb, and for each noun below the path one line with its verbs. */
function withoutNested(path: readonly string[], mapped: readonly MappedCommand[]): string[] {
  const nouns = new Map<string, string[]>()
  const lines: string[] = []
  for (const one of mapped) {
    const [word, verb] = one.command.split(' ').slice(path.length)
    if (verb === undefined) lines.push(mapLine(one))
    else nouns.set(word as string, [...(nouns.get(word as string) ?? []), verb])
  }
  const nested = [...nouns].map(([noun, verbs]) => {
    const inner = [...path, noun]
    return `${inner.join(' ')} ${verbs.join('|')}: ${summaryOf(inner)}`
  })
  return [...lines, '', ...nested]
}

function summaryOf(path: readonly string[]): string {
  let nodes: Readonly<Record<string, Node>> = commandTree()
  let summary = ''
  for (const word of path) {
    const node = nodes[word]
    summary = (node && 'summary' in node ? node.summary : undefined) ?? ''
    nodes = node?.verbs ?? {}
  }
  return summary
}

/** Returns the long name of a flag: `--file` of `-f, --file <path>`. */
const longName = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? flags

const documentFlagNames: ReadonlySet<string> = new Set([...bodyFlags, ifUnchangedFlag].map((it) => longName(it.flags)))
const listFlagNames: ReadonlySet<string> = new Set(listFlagSyntax.map(longName))
const ownFlags = (flags: readonly DescribedFlag[]): readonly DescribedFlag[] =>
  flags.filter(({ flag }) => !listFlagNames.has(flag))

const consentWhen: Readonly<Record<NonNullable<CommandDescription['consent_when']>, string>> = {
  always: '',
  with_rows: ' with a file of rows',
  confirm_if_in_use: ' (--confirm <name> if it is in use)',
}

/** Returns what a command needs before it runs in a script: `Risk: spends. Requires --yes, otherwise exit code 10.` */
function riskLine({ risk, consent, consent_when: when }: CommandDescription): string {
  if (consent === null) return `Risk: ${risk}. Requires no confirmation.`
  return `Risk: ${risk}. Requires ${consent}${consentWhen[when ?? 'always']}, otherwise exit code 10.`
}

/** Returns the usage, risk, flags, exit codes and examples of a command, with descriptions of as many flags as fit. */
export function commandText(mapped: MappedCommand, described: CommandDescription): string {
  const { argument, aliases, examples, exit_codes: exits, input_schema: input } = described
  const fields = (input as { required?: readonly string[] } | null)?.required ?? []
  const isRequired = (it: DescribedFlag): boolean => it.field !== null && fields.includes(it.field)
  const own = ownFlags(described.flags)
  const flags = [...own.filter(isRequired), ...own.filter((it) => !isRequired(it))]
  const hasListFlags = own.length < described.flags.length
  const page = (shown: number, count: number): string => {
    const rest = flags.slice(shown)
    return [
      `Usage: parley ${usageOf(mapped)}${flags.length > 0 ? ' [flags]' : ''}`,
      mapped.summary,
      ...(aliases.length > 0 ? [`Aliases: ${aliases.join(', ')}`] : []),
      ...(argument ? [`Argument: ${argument.describe}`] : []),
      riskLine(described),
      ...(flags.length > 0 ? ['Flags:', ...flags.slice(0, shown).map((it) => flagLine(it, isRequired(it)))] : []),
      ...(rest.length > 0 ? [`More flags (parley ${described.command} --help): ${rest.map(syntax).join(', ')}`] : []),
      ...(hasListFlags ? [`List flags: ${[...listFlagNames].join(', ')}. See: parley help lists`] : []),
      `Exit codes: ${exits.map(({ code }) => code).join(' ')}. Meanings: parley help exit-codes`,
      'Examples:',
      ...examples.slice(0, count).map((it) => `  ${it}`),
      `Schemas of input and output: parley commands ${described.command} --json`,
    ].join('\n')
  }
  return firstThatFits(
    (function* () {
      for (let shown = flags.length; shown >= 0; shown--) yield page(shown, examples.length)
      yield page(0, 2)
    })(),
  )
}

const syntax = ({ flag, value, has_optional_value }: DescribedFlag): string =>
  value === null ? flag : has_optional_value ? `${flag}[=${value}]` : `${flag} <${value}>`

function flagLine(flag: DescribedFlag, isRequired: boolean): string {
  const extras = [
    isRequired && 'required',
    flag.choices && `one of: ${flag.choices.join(', ')}`,
    flag.default !== null && `default: ${flag.default}`,
  ].filter(Boolean)
  return `  ${syntax(flag)}  ${flag.describe}${extras.length > 0 ? ` (${extras.join('; ')})` : ''}`
}
