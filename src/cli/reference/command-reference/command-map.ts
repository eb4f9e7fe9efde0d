import { exitCodes } from '../../../contract/errors/exit-codes.ts'
import { commandMap } from '../../../generated/command-map.ts'

/**
 * One command of the map. `parley commands` prints it as JSON, and the tools of `parley mcp` read that
 * (find-commands.ts): fields are added, not renamed.
 */
export interface MappedCommand {
  readonly command: string
  /** Its argument as in a usage line: `<id>`, `[folder...]`; null without one. */
  readonly argument: string | null
  readonly risk: string
  readonly summary: string
}

/** Returns the commands of the map below the given words; without words, all. */
export const mappedCommands = (words: readonly string[]): readonly MappedCommand[] =>
  commandMap.filter(({ command }) => words.every((it, n) => command.split(' ')[n] === it))

/** Returns a command with its argument, the words after `parley`. */
export const usageOf = ({ command, argument }: MappedCommand): string =>
  argument === null ? command : `${command} ${argument}`

/** Returns a command in one line, with its risk unless it only reads. */
export const mapLine = (mapped: MappedCommand): string =>
  `${usageOf(mapped)}: ${mapped.summary}${mapped.risk === 'read' ? '' : ` (${mapped.risk})`}`

/** The exit codes in one line, by number. */
export const exitCodeLine = `Exit codes: ${Object.entries(exitCodes)
  .map(([name, { code }]) => `${code} ${name}`)
  .join(', ')}. Meanings: parley help exit-codes`

/** Returns the map: each command in one line, and the exit codes of all. */
export const mapText = (commands: readonly MappedCommand[]): string =>
  [
    'Commands, to type after "parley". In parentheses: the risk of those that do more than read.',
    'More: parley commands <noun>, parley commands <noun> <verb>. For programs: --json; with schemas: --full.',
    '',
    ...commands.map(mapLine),
    '',
    exitCodeLine,
  ].join('\n')
