import { existsSync } from 'node:fs'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Context } from '../context.ts'
import { noteInspectorPage } from './inspector-note.ts'

/** Nouns whose resources look like real ones that cost money or reach people. */
const simulatedNouns: ReadonlySet<string> = new Set(['numbers', 'calls', 'sms', 'messaging', 'campaigns'])

/** Commands that may have a page in the inspector. Only they load what knows the pages. */
const inspectedCommands = /^(?:automate|calls|campaigns|conversations|numbers|server) (?:.* )?(?:get|list|requests)$/

/** Prints the notes after a command on a terminal: what is simulated, and the page of the inspector. */
export async function noteOnTerminal(context: Context, argument: string | undefined): Promise<void> {
  await noteSimulation(context)
  await noteComputerTimes(context)
  if (inspectedCommands.test(context.commandName)) await noteInspectorPage(context, argument)
}

/** A clock that differs by less is not a moved one. */
const minMovedMs = 60_000

/**
 * Notes that the times of a list are those of this computer, if the clock of the local platform was moved. Only the local
 * platform is asked: these lists must work without a connection.
 */
async function noteComputerTimes({
  system,
  command,
  notes,
  out,
  globals,
  settings,
  platformNow,
}: Context): Promise<void> {
  const isShown = out.settings.form === 'table' && system.streams.stdout.isTTY && !globals.quiet
  if (!isShown || !command.view?.columns.some((it) => it.kind === 'computer_time')) return
  if ((await settings()).baseUrl.value !== localProfile.base_url || !existsSync(dataDir(system))) return
  try {
    const aheadMs = (await platformNow()) - system.now()
    if (Math.abs(aheadMs) >= minMovedMs)
      await notes.note(
        `When is the time of this computer. The clock of the platform is ${formatDuration(Math.abs(aheadMs) / 1000)} ${aheadMs > 0 ? 'ahead' : 'behind'}.`,
      )
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
  }
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
