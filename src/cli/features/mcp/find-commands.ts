import { parseJson } from '../../../node/json.ts'
import { findCommand } from '../../program/commandline/find-command.ts'
import { type LineResult, type ToolResult, textResult } from './run-line.ts'

/**
 * A command of `parley commands --json` for a coding agent. A copy of that of
 * cli/reference/command-reference/command-map.ts.
 */
interface MappedCommand {
  readonly command: string
  readonly argument: string | null
  readonly risk: string
  readonly summary: string
}

/** Most commands that a search shows. */
const maxFound = 20

/**
 * Returns the page of a noun or a command, all commands for an empty query, or those that best match its words. `run` runs
 * `parley commands`.
 */
export async function findCommands(
  query: string,
  run: (words: readonly string[]) => Promise<LineResult>,
): Promise<ToolResult> {
  const words = query.trim().split(/\s+/).filter(Boolean)
  const { path, unknown, rest } = findCommand(words)
  const isNamed = unknown === undefined && rest.length === 0
  if (isNamed) return textResult([(await run(['commands', ...path, '-o', 'table'])).stdout])
  const { stdout } = await run(['commands', '--json'])
  const found = rank(parseJson(stdout) as readonly MappedCommand[], words)
  if (found.length === 0) return textResult([`No command matches "${query}". Without a query, find lists all.`])
  return textResult([found.map(lineOf).join('\n')])
}

const lineOf = ({ command, argument, risk, summary }: MappedCommand): string =>
  `${command}${argument === null ? '' : ` ${argument}`}: ${summary}${risk === 'read' ? '' : ` (${risk})`}`

/** Returns the commands that contain most of the words, best first. A word of the command counts more than one of its summary. */
function rank(commands: readonly MappedCommand[], words: readonly string[]): readonly MappedCommand[] {
  const stems = words.map((it) => it.toLowerCase().replace(/(?<=..)s$/, ''))
  return commands
    .map((command) => ({ command, score: stems.reduce((sum, stem) => sum + scoreOf(command, stem), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxFound)
    .map((it) => it.command)
}

function scoreOf({ command, summary, risk }: MappedCommand, stem: string): number {
  if (command.toLowerCase().includes(stem)) return 3
  return summary.toLowerCase().includes(stem) || risk === stem ? 1 : 0
}
