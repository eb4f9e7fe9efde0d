import './cli/tree.ts'
import { type FoundCommand, findCommand } from './cli/program/commandline/find-command.ts'
import { wantsJsonErrors } from './cli/program/commandline/wants-json-errors.ts'
import { isForAgent, pipedStreams } from './cli/program/configuration/agent-mode.ts'
import { type System, withParts } from './cli/program/system.ts'
import { ClosedPipe, OutputFailed } from './cli/program/terminal/streams.ts'
import { type ExitName, exitCodes } from './contract/errors/exit-codes.ts'

/** Runs a command line and returns its exit code. It never exits the process; bin/ does. */
export async function main(argv: readonly string[], given: System): Promise<number> {
  const system = isForAgent(given.env) ? withParts(given, { streams: pipedStreams(given.streams) }) : given
  const name = await dispatch(findCommand(argv), system).catch(async (error): Promise<ExitName> => {
    // The reader closed the pipe early, as in `parley --help | head -1`.
    if (error instanceof ClosedPipe) return error.exit
    // Commands report failed output themselves; help pages are reported here.
    if (error instanceof OutputFailed) {
      const json = wantsJsonErrors(argv, system.env)
      const { createNotes } = await import('./cli/program/output/notes.ts')
      await createNotes(system.streams.stderr, { json, quiet: false }).error({
        code: 'internal',
        message: error.message,
      })
      return error.exit
    }
    throw error
  })
  return exitCodes[name].code
}

/**
 * Makes zod validate without compiling a parser for each schema. Compiling pays off only from some dozens of values on,
 * and takes longer than all checks of a single response. It must be set before schemas are created, because they remember
 * it.
 */
function disableSchemaCompilation(): void {
  const its = globalThis as { __zod_globalConfig?: { jitless?: boolean } }
  its.__zod_globalConfig ??= { jitless: true }
}

/** Returns whether a command may validate very many values of a few schemas: the rows of a file, or of a long list. */
const readsRows = (rest: readonly string[]): boolean =>
  rest.some(
    (it, n) => /^--(file(=|$)|all$|limit=\d{4})/.test(it) || (it === '--limit' && /^\d{4}/.test(rest[n + 1] ?? '')),
  )

async function dispatch(found: FoundCommand, system: System): Promise<ExitName> {
  const { node, path, rest } = found
  if (!node?.load) return (await import('./cli/reference/help/program-help.ts')).handleIncompleteCommand(system, found)
  // A help page does not need the module of the command.
  const asksHelp = rest.length === 1 && (rest[0] === '--help' || rest[0] === '-h')
  if (asksHelp && (await (await import('./cli/reference/help/help-page.ts')).printHelpPage(system, path.join(' '))))
    return 'done'
  if (!node.isLongRunning && !readsRows(rest)) disableSchemaCompilation()
  await import('./cli/resources.ts')
  return (await import('./cli/program/run.ts')).runCommand(system, found, node)
}
