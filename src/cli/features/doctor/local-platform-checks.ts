import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from '../../../contract/control/platform.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import type { Settings } from '../../program/configuration/settings.ts'
import { type Connection, findServer, type ServerLock } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'
import { describeTime } from '../../program/output/time.ts'
import { type Finding, failed, failedWith, ok, warning } from './finding.ts'
import { hasDatabase } from './local-file-checks.ts'

/** Settings of the local platform, whichever profile is in use. */
const localSettings: Settings = {
  profileName: { value: 'local', from: 'doctor' },
  profile: localProfile,
  baseUrl: { value: localProfile.base_url, from: 'doctor' },
  key: { from: 'the data folder' },
  timeoutMs: { value: 30_000, from: 'doctor' },
  retries: { value: 0, from: 'doctor' },
  history: { value: true, from: 'doctor' },
  output: { value: 'table', from: 'doctor' },
  profileFrom: 'doctor',
}

/** Checks whether a server uses the data folder, and whether a crashed one left its lock file. */
export function checkServer({ system }: Context): Finding {
  const file = join(dataDir(system), 'server.json')
  let server: ServerLock | undefined
  try {
    server = findServer(system)
  } catch (error) {
    return failedWith('server', error)
  }
  if (server)
    return ok(
      'server',
      `${server.url} serves the data folder since ${describeTime(server.started_at)} (process ${server.pid}).`,
    )
  if (existsSync(file))
    return warning(
      'server',
      `${file} is left over from a server that has ended. Commands ignore it.`,
      `Start a server: parley server start. Or delete ${file}.`,
    )
  return ok('server', 'Not running. Commands open the data folder directly.')
}

const usesLocalPlatform = (context: Context): Promise<boolean> =>
  context.settings().then(
    ({ baseUrl }) => baseUrl.value === localProfile.base_url,
    () => true,
  )

/** Checks the local platform, whichever profile is in use: its database, clock, fault rules and providers. Does not create a missing database. */
export async function checkLocalPlatform(context: Context): Promise<Finding[]> {
  let connected: Connection | undefined
  try {
    if (!hasDatabase(context.system) && !findServer(context.system))
      return [ok('database', 'No database yet. The first command creates it.')]
    connected = await context.connectTo(localSettings, true)
    const { database, schema, problems, lists, balances } = await connected.call(platform.check, {})
    const { providers, clock, faults, faults_fired } = await connected.call(platform.status, {})
    return [
      problems.length > 0
        ? failed(
            'database',
            `The ${database} database of the local platform is damaged: ${problems.join('; ')}.`,
            'Restore a backup. Or move the file and start over: parley server reset.',
          )
        : ok('database', `The ${database} database of the local platform has no errors. Schema version ${schema}.`),
      ...(lists.some((it) => it.wrong !== 0)
        ? [
            failed(
              'counters',
              `The counters of ${lists.flatMap((it) => (it.wrong !== 0 ? [it.list] : [])).join(', ')} are wrong.`,
              'Rebuild the counters: parley server check --rebuild.',
            ),
          ]
        : []),
      ...(balances === null || balances.wrong.length > 0
        ? [
            failed(
              'balances',
              balances === null
                ? 'The balances cannot be read.'
                : `The balances of ${balances.wrong.length} ${balances.wrong.length === 1 ? 'account' : 'accounts'} do not match the ledger.`,
              'Show them: parley server check.',
            ),
          ]
        : []),
      ...(clock.frozen
        ? [
            ok(
              'platform_clock',
              `The clock of the local platform is frozen at ${clock.now}. To resume real time: parley server clock resume.`,
            ),
          ]
        : []),
      ...(faults > 0
        ? [
            warning(
              'faults',
              `${faults === 1 ? '1 fault rule makes' : `${faults} fault rules make`} requests to the local platform fail on purpose. Triggered so far: ${faults_fired}.`,
              'List them: parley server faults list. Delete them: parley server faults clear.',
            ),
          ]
        : []),
      // Providers of another platform are not known: those of this folder would be mistaken for them.
      ...((await usesLocalPlatform(context))
        ? Object.entries(providers).map(([name, description]) => ok(`provider_${name}`, description))
        : []),
    ]
  } catch (error) {
    return [failedWith('database', error)]
  } finally {
    await connected?.close()
  }
}
