import { platform } from '../../../contract/control/platform.ts'
import { command } from '../../commandline/command.ts'
import { hasPlatform } from '../../configuration/local-files.ts'
import { localProfile } from '../../configuration/profiles.ts'
import { findReachableServer } from '../../connection/connect.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import type { View } from '../../output/form.ts'

/** Status of a folder without a local platform. */
const nothing = {
  schema: null,
  database: null,
  database_location: null,
  seed: null,
  providers: {},
  clock: null,
  accounts: 0,
  numbers: 0,
  due: 0,
  faults: 0,
  faults_fired: 0,
}

const view: View<{ readonly url: string | null }> = {
  id: (it) => it.url ?? '',
  columns: [
    { key: 'clock.now', title: 'Clock now', priority: 1, kind: 'time' },
    { key: 'due', title: 'Scheduled jobs', priority: 1, kind: 'number' },
    { key: 'faults', title: 'Fault rules', priority: 1, kind: 'number' },
    { key: 'faults_fired', title: 'Faults triggered', priority: 1, kind: 'number' },
  ],
  empty: '',
}

export const status = command({
  callsPlatform: true,
  summary: 'Show the status of the server and its data',
  examples: ['', '--json'],
  async run(context) {
    const folder = await requireControlAccess(context)
    const { system } = context
    const server = await findReachableServer(system, folder)
    // Opening the folder would create a platform in it, with another seed.
    const isEmpty =
      !server &&
      (await context.settings()).baseUrl.value === localProfile.base_url &&
      !hasPlatform(folder) &&
      !system.env.PARLEY_DATABASE
    const state = isEmpty ? { version: system.version, ...nothing } : await context.call(platform.status, {})
    const shown = {
      running: server !== undefined,
      url: server?.url ?? null,
      pid: server?.pid ?? null,
      started_at: server?.started_at ?? null,
      vocabulary: typeof server?.vocabulary === 'object' ? 'custom' : (server?.vocabulary ?? 'neutral'),
      data_folder: folder,
      ...state,
    }
    // The URL identifies a server; without one, there is nothing to print.
    if (server || context.out.settings.form !== 'id') await context.out.record(shown, { view })
    if (isEmpty)
      await context.notes.note(
        'No local platform in this folder yet. Next: parley server seed, or parley server start --seed 7',
      )
  },
})
