import { closestMatch } from '../../program/commandline/closest-match.ts'
import { command } from '../../program/commandline/command.ts'
import { findCommand } from '../../program/commandline/find-command.ts'
import { isForAgent } from '../../program/configuration/agent-mode.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { View } from '../../program/output/format.ts'
import { isDocument } from '../../program/output/format.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { type CommandDescription, describeCommands } from './command-descriptions.ts'
import { type MappedCommand, mappedCommands, mapText } from './command-map.ts'
import { commandText, nounText } from './command-pages.ts'

const view: View<CommandDescription> = {
  id: (it) => it.command,
  columns: [
    { key: 'command', title: 'Command', priority: 1 },
    { key: 'risk', title: 'Risk', priority: 1, kind: 'status' },
    {
      key: ({ exit_codes: codes }) => codes.map(({ code }) => code).join(' '),
      field: 'exit_codes',
      title: 'Exit codes',
      priority: 3,
    },
    { key: 'summary', title: 'Summary', priority: 2, flexible: true },
  ],
  empty: 'No such command.',
}

export const commands = command({
  summary: 'List every command, or describe one',
  argument: {
    name: 'words',
    describe: 'Noun, or noun and verb (default: every command)',
    optional: true,
    isVariadic: true,
  },
  flags: [{ flags: '--full', describe: 'Full description of each command as JSON, with its schemas' }],
  examples: ['', 'numbers', 'numbers buy', 'numbers buy --json', 'automate --json --fields command,risk,exit_codes'],
  notes:
    'Without a format it prints text that is short enough for a coding agent: one line for each command (at most 4 000 tokens of 4 characters), the commands of a noun, or one command (at most 1 000). For a coding agent, --json without --full, --fields and --jq has only command, argument, risk and summary, except for a single command. Otherwise JSON is the full description: it shows input, risk, output and exit codes of each command. Schemas are JSON Schema (draft 2020-12): input_schema for --file and --data, output_schema for --json. With ndjson a list is one item per line. With --dry-run a write prints {method, path, body} instead. Global flags: parley help flags.',
  view,
  async run(context, { argument, flags }) {
    const { path, unknown, rest, node, siblings } = findCommand(argument?.split(' ') ?? [])
    const wrong = node?.load ? rest[0] : unknown
    if (wrong !== undefined) {
      const guess = node?.load ? undefined : closestMatch(wrong, Object.keys(siblings))
      throw usageError(
        `Unknown command "${[...path, wrong].join(' ')}".${guess ? ` Did you mean "${[...path, guess].join(' ')}"?` : ''}`,
        'List them: parley commands.',
      )
    }
    const isCommand = node?.load !== undefined
    if (flags.full === true && context.out.isForPeople) return context.out.json(await describeCommands(path))
    if (context.out.isForPeople) return context.out.line(await textOf(path, isCommand))
    const isLean = !isCommand && flags.full !== true && isForLeanJson(context)
    const items: readonly object[] = isLean ? mappedCommands(path) : await describeCommands(path)
    await context.out.list(applyLimit(context, items), isLean ? {} : { view })
  },
})

const isForLeanJson = ({ system, globals, out }: Context): boolean =>
  isForAgent(system.env) && isDocument(out.settings.format) && globals.fields === undefined && globals.jq === undefined

/** Returns the text for people and agents: the map, the page of a noun or that of a command. */
async function textOf(path: readonly string[], isCommand: boolean): Promise<string> {
  const mapped = mappedCommands(path)
  if (path.length === 0) return mapText(mapped)
  const described = await describeCommands(path)
  return isCommand
    ? commandText(mapped[0] as MappedCommand, described[0] as CommandDescription)
    : nounText(path, mapped, described)
}
