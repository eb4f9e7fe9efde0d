import type { Context } from '../context.ts'

/** Nouns whose resources look like real ones that cost money or reach people. */
const simulatedNouns: ReadonlySet<string> = new Set(['numbers', 'calls', 'sms', 'messaging', 'campaigns'])

/** Commands that may have a page in the inspector. Only they load what knows the pages. */
const inspectedCommands = /^(?:automate|calls|campaigns|conversations|numbers|server) (?:.* )?(?:get|list|requests)$/

/** Prints the notes after a command on a terminal: what is simulated, and the page of the inspector. */
export async function noteOnTerminal(context: Context, argument: string | undefined): Promise<void> {
  await noteSimulation(context)
  if (inspectedCommands.test(context.commandName))
    await (await import('./inspector-note.ts')).noteInspectorPage(context, argument)
}

/** Notes that the output of the local platform is simulated. */
async function noteSimulation({
  system,
  commandName,
  notes,
  out,
  responses,
  connection,
  globals,
}: Context): Promise<void> {
  const isForPeople = out.settings.form === 'table' && system.streams.stdout.isTTY && system.streams.stderr.isTTY
  if (
    !isForPeople ||
    globals.quiet ||
    responses.size === 0 ||
    !simulatedNouns.has(commandName.split(' ', 1)[0] as string)
  )
    return
  if ((await connection()).via !== 'remote')
    await notes.note('Local platform: numbers, calls and messages are simulated.')
}
