import { argumentUsage, type Command, riskOf } from '../cli/program/commandline/command.ts'
import { bodyFlags, fieldFlags } from '../cli/program/commandline/field-flags.ts'
import { createParser } from '../cli/program/commandline/parser.ts'
import { inUseNote } from '../cli/program/consent/delete-resource.ts'
import { inputSchema } from '../cli/program/input/json-schema.ts'
import { listFlags, listFlagsOf } from '../cli/program/lists/list-flags.ts'
import type { CommandDescription, DescribedFlag } from '../cli/reference/command-reference/command-descriptions.ts'
import type { MappedCommand } from '../cli/reference/command-reference/command-map.ts'
import { printedSchema } from '../cli/reference/command-reference/printed-schema.ts'
import type { Risk } from '../contract/endpoint/endpoint.ts'
import { exitCodes } from '../contract/errors/exit-codes.ts'
import * as z from '../contract/schema/schema.ts'
import { possibleExits } from './possible-exits.ts'
import { allCommands } from './reference-files.ts'

/** Flags that confirm a command in a script, by risk. A protected profile additionally requires its own name. */
const consentFlags: Readonly<Record<Risk, CommandDescription['consent']>> = {
  read: null,
  write: null,
  destructive: '--yes',
  severe: '--yes',
  outside: '--confirm-side-effects',
  spends: '--yes',
}

function consentOf(words: string, command: Command): Pick<CommandDescription, 'consent' | 'consent_when'> {
  if (command.rows && command.endpoint?.risk === 'spends') return { consent: '--yes', consent_when: 'with_rows' }
  if (command.requiresName) return { consent: '--confirm', consent_when: 'confirm_if_in_use' }
  const risk = riskOf(command)
  const { options } = createParser(words, command)
  // A resumed run or an approved operation is already explicit.
  const isExplicit = risk === 'outside' && !options.some(({ long }) => long === consentFlags.outside)
  const consent = isExplicit ? null : consentFlags[risk]
  if (consent === null) return { consent, consent_when: null }
  return { consent, consent_when: command.notes?.includes(inUseNote) ? 'confirm_if_in_use' : 'always' }
}

/**
 * Returns the descriptions of all commands, one a line, for `parley commands`. Coding agents and scripts read the
 * fields: they are added, not renamed. command-descriptions.ts of the command line reads the lines.
 */
export async function commandDescriptionsFile(): Promise<string> {
  const described = (await allCommands()).map((it) => describeCommand(...it))
  return (await Promise.all(described)).map((it) => `${JSON.stringify(it)}\n`).join('')
}

/** Returns the map of all commands, in the order of the tree. */
export const mapCommands = async (): Promise<readonly MappedCommand[]> =>
  (await allCommands()).map(([words, command]) => {
    const { argument } = command
    return {
      command: words,
      // Without a terminal nothing asks for the argument that is missing.
      argument: argument ? argumentUsage({ ...argument, optional: argument.optional === true }) : null,
      risk: describedRisk(command),
      summary: summaryOf(command).replace(/; .*/, ''),
    }
  })

/** Returns the map of all commands as a module, for `parley commands` without a format. */
export async function commandMapFile(): Promise<string> {
  return `// Made of the commands by "npm run generate".

interface MappedCommand {
  readonly command: string
  readonly argument: string | null
  readonly risk: string
  readonly summary: string
}

/** Every command in short, in the order of the tree. */
export const commandMap: readonly MappedCommand[] = ${JSON.stringify(await mapCommands())}
`
}

const summaryOf = ({ summary, endpoint }: Command): string => summary ?? endpoint?.summary ?? ''

const describedRisk = (command: Command): Risk =>
  command.rows && command.endpoint?.risk === 'spends' ? 'spends' : riskOf(command)

async function describeCommand(
  words: string,
  command: Command,
  aliases: readonly string[],
): Promise<CommandDescription> {
  const { endpoint, argument } = command
  const taken = command.document && endpoint ? { ...endpoint, body: command.document } : endpoint
  const printed = await printedSchema(words, command)
  return {
    command: words,
    aliases,
    summary: summaryOf(command),
    risk: describedRisk(command),
    ...consentOf(words, command),
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
        ...(option.optional && { has_optional_value: true as const }),
        describe: option.description || (listFlags.find(({ flags }) => flags === option.flags)?.describe ?? ''),
        choices: field?.choices ?? option.argChoices ?? null,
        default: field?.default ?? null,
        repeatable: repeatable.has(option.flags),
        field: field?.field ?? command.flags?.find(({ flags }) => flags === option.flags)?.field ?? null,
      }
    })
}
