// A stop where the platform has none: the commands of this data folder start nothing until it is resumed.

import { existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'
import { scopeFolder } from '../history/entries.ts'
import type { System } from '../system.ts'

/** Returns the file that exists while a profile is stopped. Other versions look for it: it never changes. */
const markerFile = (system: System, { profileName, baseUrl }: Pick<Settings, 'profileName' | 'baseUrl'>): string =>
  join(
    dataDir(system),
    'stopped',
    basename(scopeFolder(system, { profile: profileName.value, baseUrl: baseUrl.value })),
  )

/** Returns whether the commands of this data folder start nothing with a profile. */
export const isStoppedHere = async ({ system, settings }: Pick<Context, 'system' | 'settings'>): Promise<boolean> =>
  existsSync(markerFile(system, await settings()))

/** Lets the commands of this data folder, bulk commands that run included, start nothing with a profile. */
export async function stopHere({ system, settings }: Context): Promise<void> {
  const file = markerFile(system, await settings())
  makeFolder(dirname(file))
  replaceFile(file, `${new Date(system.now()).toISOString()}\n`)
}

/** Lets the commands of this data folder start something with a profile again. */
export async function resumeHere({ system, settings }: Context): Promise<void> {
  rmSync(markerFile(system, await settings()), { force: true })
}

/**
 * Refuses what starts or sends something while the profile is stopped here. @throws ClientFailure `conflict`
 */
export async function requireNotStoppedHere(context: Context, endpoint: Endpoint, input: unknown): Promise<void> {
  const { risk, onlyStops, isMessage } = endpoint
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>
  const isStart = isMessage === true || starting.has(endpoint.name)
  if (risk !== 'spends' || !isStart || (typeof onlyStops === 'function' && onlyStops(fields))) return
  if (!(await isStoppedHere(context))) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'account_stopped',
    message: `"parley stop --all" has stopped everything of profile "${(await context.settings()).profileName.value}" on this computer. Nothing was sent.`,
    hint: 'To continue: parley resume.',
    sent: false,
  })
}

/** Endpoints that call people or send to them, beside messages. One that is missing here starts despite a stop. */
const starting: ReadonlySet<string> = new Set(['campaigns.updateStatus', 'calls.start', 'sms.send'])
