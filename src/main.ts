import { type FoundCommand, findCommand } from './cli/commandline/find-command.ts'
import { ClosedPipe, OutputFailed } from './cli/terminal/streams.ts'
import { type ExitName, exitCodes } from './contract/errors/exit-codes.ts'
import type { System } from './system.ts'

/** One command line in, one exit code out. Never exits the process: bin/ does. */
export async function main(argv: readonly string[], system: System): Promise<number> {
  const name = await dispatch(findCommand(argv), system).catch(async (error): Promise<ExitName> => {
    // A reader that has seen enough: `parley --help | head -1`.
    if (error instanceof ClosedPipe) return error.exit
    // Commands tell of their output themselves; help has nobody else to do it.
    if (error instanceof OutputFailed) {
      await system.streams.stderr.write(`error: ${error.message}\n`).catch(() => {})
      return error.exit
    }
    throw error
  })
  return exitCodes[name].code
}

/**
 * Has zod check values without compiling a parser for each shape first, which pays from some dozens of them on and takes longer than all the checks of
 * a single answer. It must be told before it is loaded: shapes remember how they were made.
 */
function disableSchemaCompilation(): void {
  const its = globalThis as { __zod_globalConfig?: { jitless?: boolean } }
  its.__zod_globalConfig ??= { jitless: true }
}

/** Whether a command may check very many values of a few shapes: the rows of a file. */
const readsRows = (rest: readonly string[]): boolean => rest.some((it) => /^--file(=|$)/.test(it))

async function dispatch(found: FoundCommand, world: System): Promise<ExitName> {
  const { node, path, rest } = found
  if (!node?.load) return (await import('./cli/help/program-help.ts')).handleIncompleteCommand(world, found)
  // Whoever asks for help and nothing else does not need the command itself.
  const asksHelp = rest.length === 1 && (rest[0] === '--help' || rest[0] === '-h')
  if (asksHelp && (await (await import('./cli/help/help-page.ts')).printHelpPage(world, path.join(' ')))) return 'done'
  if (!node.isLongRunning && !readsRows(rest)) disableSchemaCompilation()
  return (await import('./cli/run.ts')).runCommand(world, found, node)
}
