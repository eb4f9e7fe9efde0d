import { existsSync } from 'node:fs'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import { findServer } from '../connection/connect.ts'
import type { Context } from '../context.ts'

/**
 * Pages of the inspector by command, with the form of the id that their argument has. They are paths of
 * inspector/page/app/routes.ts.
 */
const pages: Readonly<Record<string, readonly [page: string, id?: RegExp]>> = {
  'automate get': ['automations', /^\w{21}$/],
  'automate list': ['automations'],
  'automate runs get': ['automations/runs', /^[\w-]{10,64}$/],
  'automate runs list': ['automations/runs'],
  'calls get': ['calls', /^\d+$/],
  'calls list': ['calls'],
  'campaigns get': ['messaging', /^\d+$/],
  'conversations get': ['conversations', /^[\da-f-]{36}$/],
  'conversations list': ['conversations'],
  'numbers list': ['numbers'],
  'server clock get': ['clock'],
  'server deliveries get': ['deliveries', /^\d+$/],
  'server deliveries list': ['deliveries'],
  'server requests': ['timeline'],
}

/** Notes on a terminal where the inspector shows what a command of `pages` did, if a server of the data folder serves it. */
async function noteInspectorPage(
  { system, commandName, notes, out, globals, settings }: Context,
  argument: string | undefined,
): Promise<void> {
  const known = pages[commandName]
  if (!known || out.settings.format !== 'table' || !system.streams.stdout.isTTY || globals.quiet) return
  if ((await settings()).baseUrl.value !== localProfile.base_url) return
  const server = findServer(system)
  if (!server?.inspector) return
  const [page, id] = known
  const resource = argument !== undefined && id?.test(argument) ? `/${argument}` : ''
  await notes.note(`Inspector: ${server.url}/_parley/${page}${resource}`)
}

/** Nouns whose resources look like real ones that cost money or reach people. */
const simulatedNouns: ReadonlySet<string> = new Set(['numbers', 'calls', 'sms', 'messaging', 'campaigns'])

/** Prints the notes after a command on a terminal: what is simulated, and the page of the inspector. */
export async function noteOnTerminal(context: Context, argument: string | undefined): Promise<void> {
  await noteSimulation(context)
  await noteComputerTimes(context)
  await noteInspectorPage(context, argument)
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
  const isShown = out.settings.format === 'table' && system.streams.stdout.isTTY && !globals.quiet
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
  const isForPeople = out.settings.format === 'table' && system.streams.stdout.isTTY && system.streams.stderr.isTTY
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
