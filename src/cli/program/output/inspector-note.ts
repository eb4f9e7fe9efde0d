import { localProfile } from '../configuration/profiles.ts'
import { findServer } from '../connection/connect.ts'
import type { Context } from '../context.ts'

/** Pages of the inspector by command, with the form of the id that their argument has. */
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

/** Notes on a terminal where the inspector shows the same, if a server of the data folder serves it. */
export async function noteInspectorPage(
  { system, commandName, notes, out, globals, settings }: Context,
  argument: string | undefined,
): Promise<void> {
  const known = pages[commandName]
  if (!known || out.settings.form !== 'table' || !system.streams.stdout.isTTY || globals.quiet) return
  if ((await settings()).baseUrl.value !== localProfile.base_url) return
  const server = findServer(system)
  if (!server?.inspector) return
  const [page, id] = known
  const resource = argument !== undefined && id?.test(argument) ? `/${argument}` : ''
  await notes.note(`Inspector: ${server.url}/_parley/${page}${resource}`)
}
