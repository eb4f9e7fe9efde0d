import type { Risk } from '../../../contract/endpoint/endpoint.ts'
import { type ExitName, exitCodes } from '../../../contract/errors/exit-codes.ts'
import * as z from '../../../contract/schema/schema.ts'
import { type Command, riskOf } from '../../program/commandline/command.ts'
import { commandTree, type Node } from '../../program/commandline/command-tree.ts'
import { bodyFlags, fieldFlags } from '../../program/commandline/field-flags.ts'
import { createParser } from '../../program/commandline/parser.ts'
import { inUseNote } from '../../program/consent/delete-resource.ts'
import { inputSchema } from '../../program/input/json-schema.ts'
import { listFlags, listFlagsOf } from '../../program/lists/list-flags.ts'
import { possibleExits } from './possible-exits.ts'
import { printedSchema } from './printed-schema.ts'

/** Description of a flag for programs. */
interface DescribedFlag {
  readonly flag: string
  readonly short: string | null
  /** Placeholder of its value; null if it takes none. */
  readonly value: string | null
  readonly describe: string
  readonly choices: readonly string[] | null
  readonly default: string | null
  readonly repeatable: boolean
  /** The request field that it sets. */
  readonly field: string | null
}

/** Description of a command: its input, risk, output and exit codes. */
export interface CommandDescription {
  readonly command: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly risk: Risk
  /** Flag that confirms the command in a script; null if no confirmation is required. */
  readonly consent: '--yes' | '--confirm' | '--confirm-side-effects' | null
  /** When the flag is required: always, for a file of rows, or with `--confirm` in its place if the resource is in use. */
  readonly consent_when: 'always' | 'with_rows' | 'confirm_if_in_use' | null
  readonly endpoint: { readonly name: string; readonly method: string; readonly path: string } | null
  readonly argument: { readonly name: string; readonly describe: string; readonly several: boolean } | null
  readonly flags: readonly DescribedFlag[]
  /** JSON Schema of the document for --file and --data, or of the query. */
  readonly input_schema: object | null
  /** JSON Schema of the output of --json; null for text. */
  readonly output_schema: object | null
  readonly exit_codes: readonly { readonly code: number; readonly name: ExitName; readonly meaning: string }[]
  readonly examples: readonly string[]
}

/** Flags that confirm a command in a script, by risk. A protected profile additionally requires its own name. */
const consentFlags: Readonly<Record<Risk, CommandDescription['consent']>> = {
  read: null,
  write: null,
  destructive: '--yes',
  severe: '--yes',
  outside: '--confirm-side-effects',
  spends: '--yes',
}

function consentOf(command: Command, risk: Risk): Pick<CommandDescription, 'consent' | 'consent_when'> {
  if (command.rows && command.endpoint?.risk === 'spends') return { consent: '--yes', consent_when: 'with_rows' }
  if (command.requiresName) return { consent: '--confirm', consent_when: 'confirm_if_in_use' }
  const consent = consentFlags[risk]
  if (consent === null) return { consent, consent_when: null }
  return { consent, consent_when: command.notes?.includes(inUseNote) ? 'confirm_if_in_use' : 'always' }
}

/** Describes every command below the given words; without words, all commands. */
export async function describeCommands(words: readonly string[]): Promise<CommandDescription[]> {
  const found: Promise<CommandDescription>[] = []
  const visit = (path: readonly string[], nodes: Readonly<Record<string, Node>>): void => {
    for (const [name, node] of Object.entries(nodes)) {
      const here = [...path, name]
      const isOnTheWay = words.every((word, n) => here[n] === undefined || here[n] === word)
      if (!isOnTheWay) continue
      if (!node.load) visit(here, node.verbs)
      else if (here.length >= words.length)
        found.push(node.load().then((it) => describeCommand(here.join(' '), it, node.aliases ?? [])))
    }
  }
  visit([], commandTree())
  return Promise.all(found)
}

async function describeCommand(
  words: string,
  command: Command,
  aliases: readonly string[],
): Promise<CommandDescription> {
  const { endpoint, argument } = command
  const taken = command.document && endpoint ? { ...endpoint, body: command.document } : endpoint
  const printed = await printedSchema(words, command)
  const risk = riskOf(command)
  return {
    command: words,
    aliases,
    summary: command.summary ?? endpoint?.summary ?? '',
    risk: command.rows && endpoint?.risk === 'spends' ? 'spends' : risk,
    ...consentOf(command, risk),
    endpoint: endpoint ? { name: endpoint.name, method: endpoint.method, path: endpoint.path } : null,
    argument: argument
      ? { name: argument.name, describe: argument.describe, several: argument.isVariadic === true }
      : null,
    flags: flagsOf(words, command),
    input_schema: (taken && inputSchema(taken)) ?? null,
    output_schema: printed && z.toJSONSchema(printed, { io: 'output', unrepresentable: 'any' }),
    exit_codes: possibleExits(command).map((name) => ({
      code: exitCodes[name].code,
      name,
      meaning: exitCodes[name].meaning,
    })),
    examples: command.examples.map((example) => `parley ${words} ${example}`.trimEnd()),
  }
}

function flagsOf(words: string, command: Command): DescribedFlag[] {
  const fields = new Map(fieldFlags(command).map((flag) => [flag.flags, flag]))
  const repeatable = new Set([
    ...[...(command.flags ?? []), ...listFlagsOf(command)].filter((flag) => flag.repeatable).map(({ flags }) => flags),
    ...bodyFlags.slice(2).map(({ flags }) => flags),
  ])
  const ofLists = new Set(listFlagsOf(command).map(({ flags }) => flags))
  return createParser(words, command)
    .options.filter((option) => !option.hidden || ofLists.has(option.flags))
    .map((option) => {
      const field = fields.get(option.flags)
      return {
        flag: option.long ?? option.flags,
        short: option.short ?? null,
        value: /[<[](.+)[>\]]/.exec(option.flags)?.[1] ?? null,
        describe: option.description || (listFlags.find(({ flags }) => flags === option.flags)?.describe ?? ''),
        choices: field?.choices ?? option.argChoices ?? null,
        default: field?.default ?? null,
        repeatable: repeatable.has(option.flags),
        field: field?.field ?? command.flags?.find(({ flags }) => flags === option.flags)?.field ?? null,
      }
    })
}
