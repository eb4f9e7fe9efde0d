import type { Context } from '../context.ts'

/** Nouns whose resources look like real ones that cost money or reach people. */
const simulatedNouns: ReadonlySet<string> = new Set(['numbers', 'calls', 'sms', 'messaging', 'campaigns'])

/** Notes on a terminal that the output of the local platform is simulated. */
export async function noteSimulation({
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
