import { closestMatch } from '../../program/commandline/closest-match.ts'
import { command } from '../../program/commandline/command.ts'
import { findCommand } from '../../program/commandline/find-command.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { View } from '../../program/output/format.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { type CommandDescription, describeCommands } from './command-descriptions.ts'

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
  summary: 'Describe every command in machine-readable form',
  argument: {
    name: 'words',
    describe: 'Noun, or noun and verb (default: every command)',
    optional: true,
    isVariadic: true,
  },
  examples: ['', '--json', 'numbers buy --json', 'automate --json --fields command,risk,exit_codes'],
  notes:
    'Shows input, risk, output and exit codes of each command. Schemas are JSON Schema (draft 2020-12): input_schema for --file and --data, output_schema for --json. With ndjson a list is one item per line. With --dry-run a write prints {method, path, body} instead. Global flags: parley help flags.',
  view,
  async run(context, { argument }) {
    const { path, unknown, rest, node, siblings } = findCommand(argument?.split(' ') ?? [])
    const wrong = node?.load ? rest[0] : unknown
    if (wrong !== undefined) {
      const guess = node?.load ? undefined : closestMatch(wrong, Object.keys(siblings))
      throw usageError(
        `Unknown command "${[...path, wrong].join(' ')}".${guess ? ` Did you mean "${[...path, guess].join(' ')}"?` : ''}`,
        'List them: parley commands.',
      )
    }
    await context.out.list(applyLimit(context, await describeCommands(path)), { view })
  },
})
