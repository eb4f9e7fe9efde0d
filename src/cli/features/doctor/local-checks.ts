import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { platform } from '../../../contract/control/platform.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { describeFileError, describeWriteError } from '../../../node/file-error.ts'
import { describeAgent, detectAgent, isForAgent } from '../../program/configuration/agent-mode.ts'
import { configDir, dataDir } from '../../program/configuration/app-folders.ts'
import { hasPlatform, type LocalFile, localFiles } from '../../program/configuration/local-files.ts'
import { configurationFile, localProfile, readConfiguration } from '../../program/configuration/profiles.ts'
import { settingSources } from '../../program/configuration/setting-origins.ts'
import type { Settings } from '../../program/configuration/settings.ts'
import { type Connection, findServer, type ServerLock } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'
import { describeTime } from '../../program/output/time.ts'
import type { System } from '../../program/system.ts'
import { type Finding, failed, failedWith, ok, warning } from './finding.ts'

/** Says which coding agent started the program, and what follows for the output. */
export function checkAgent({ env }: System): Finding[] {
  const agent = detectAgent(env)
  if (!agent && !isForAgent(env)) return []
  const who = agent ? `Started by ${describeAgent(agent)}.` : 'No coding agent was detected.'
  const output = isForAgent(env)
    ? 'Output is for an agent: no questions, tab-separated tables, and errors as JSON.'
    : 'Output is for a person.'
  return [ok('agent', `${who} ${output}${env.PARLEY_AGENT ? ' PARLEY_AGENT decides it.' : ''}`)]
}

/** Returns why a file or folder cannot be read, as a phrase; undefined if it can be. */
function findReadProblem(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) {
      readdirSync(path)
      accessSync(path, constants.X_OK)
      return undefined
    }
    const file = openSync(path, 'r')
    try {
      readSync(file, Buffer.alloc(1))
    } finally {
      closeSync(file)
    }
    return undefined
  } catch (error) {
    return describeFileError(error)
  }
}

/** Returns whether nothing is at a path. */
function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR'
  }
}

/** Returns why a missing folder cannot be created, as a phrase that names what is in the way; undefined if it can be. */
function findCreationProblem(dir: string): string | undefined {
  const above = dirname(dir)
  if (isMissing(above)) return findCreationProblem(above)
  if (!statSync(above).isDirectory()) return `${above} is a file`
  const problem = findWriteProblem(above)
  return problem && `in ${above}, ${problem}`
}

/** Permissions of a file or folder that can be read. */
const modeOf = (path: string): number => statSync(path).mode & 0o777

/** Returns why a file or folder cannot be written, as a phrase; undefined if it can be. */
function findWriteProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    return describeWriteError(error)
  }
}

/**
 * Returns whether other users have any permission on a file. Always false on Windows, whose file modes do not show it.
 */
const isAccessibleToOthers = (system: System, path: string): boolean =>
  system.os !== 'win32' && (modeOf(path) & 0o077) !== 0

const octal = (path: string): string => modeOf(path).toString(8).padStart(4, '0')

/** Checks that the program can use a folder and its own files in it, and that others cannot read the secret ones. */
function checkFolder(system: System, check: string, folder: LocalFile['folder'], dir: string): Finding[] {
  const fixFolder = `Take ownership with chown, then run: chmod 700 ${dir}`
  const problem = findReadProblem(dir)
  if (problem !== undefined) return [failed(check, `${dir} cannot be read: ${problem}.`, fixFolder)]
  if (!statSync(dir).isDirectory())
    return [failed(check, `${dir} is not a folder.`, 'Move the file, or choose another folder.')]
  const found: Finding[] = []
  if (findWriteProblem(dir) !== undefined) found.push(failed(check, `${dir} is not writable.`, fixFolder))
  else if (statfsSync(dir).bavail === 0)
    found.push(
      failed(check, `The disk of ${dir} is full. Commands can read, and cannot change anything.`, 'Free some space.'),
    )
  for (const { name, secret } of namedFiles(folder, dir)) {
    const path = join(dir, name)
    const [read, write] = [findReadProblem(path), findWriteProblem(path)]
    if (read !== undefined || write !== undefined)
      found.push(
        failed(
          check,
          `${path} cannot be ${read === undefined ? 'written' : 'read'}: ${read ?? write}.`,
          'Take ownership with chown and make it readable and writable, or move it away.',
        ),
      )
    else if (secret && isAccessibleToOthers(system, path))
      found.push(
        failed(
          check,
          `${path} holds secrets and is accessible to other users (mode ${octal(path)}).`,
          `chmod ${statSync(path).isDirectory() ? 700 : 600} ${path}`,
        ),
      )
  }
  if (isAccessibleToOthers(system, dir))
    found.push(warning(check, `${dir} is accessible to other users (mode ${octal(dir)}).`, `chmod 700 ${dir}`))
  return found
}

/** Returns the files and folders of the program that exist in one of its folders, by their name there. */
function namedFiles(
  folder: LocalFile['folder'],
  dir: string,
): readonly { readonly name: string; readonly secret: boolean }[] {
  const known = (localFiles as readonly LocalFile[])
    .filter((it) => it.folder === folder)
    .map(({ name, secret }) => ({ pattern: namePattern(name), secret: secret === true }))
  return readdirSync(dir).flatMap((name) => {
    const file = known.find(({ pattern }) => pattern.test(name))
    return file ? [{ name, secret: file.secret }] : []
  })
}

const namePattern = (name: string): RegExp =>
  new RegExp(`^${name.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '.*')}$`)

/** Checks whether the configuration is readable, and which users can access it. */
export function checkConfiguration(system: System): Finding[] {
  const check = 'configuration'
  const dir = configDir(system)
  if (isMissing(dir)) {
    const problem = findCreationProblem(dir)
    if (problem === undefined) return [ok(check, `No configuration yet. It will be stored in ${dir}.`)]
    const fix = 'To store profiles, set PARLEY_CONFIG_DIR to a folder that can be written.'
    return [warning(check, `No configuration yet, and ${dir} cannot be created: ${problem}.`, fix)]
  }
  const found = checkFolder(system, check, 'configuration', dir)
  try {
    const { profiles } = readConfiguration(system)
    const names = Object.keys(profiles)
    if (found.length === 0)
      found.push(
        ok(
          check,
          `${configurationFile(system)}: ${names.length === 1 ? 'the profile' : 'profiles'} ${names.join(', ')}.`,
        ),
      )
  } catch (error) {
    found.push(failedWith(check, error))
  }
  return found
}

/** Checks whether the data folder is usable, and which users can access it. */
export function checkDataFolder(system: System): Finding[] {
  const check = 'data_folder'
  const dir = dataDir(system)
  if (isMissing(dir)) {
    const problem = findCreationProblem(dir)
    if (problem === undefined) return [ok(check, `No data folder yet. The first command creates ${dir}.`)]
    const fix = 'Make a folder there that can be written, or set PARLEY_DATA_DIR to another folder.'
    return [failed(check, `${dir} cannot be created: ${problem}.`, fix)]
  }
  const found = checkFolder(system, check, 'data', dir)
  return found.length > 0 ? found : [ok(check, `Only you can access ${dir}.`)]
}

/** Returns whether the local platform has a database, or its folder or the environment names one. */
export const hasDatabase = (system: System): boolean =>
  hasPlatform(dataDir(system)) || Boolean(system.env.PARLEY_DATABASE)

/** Settings of the local platform, whichever profile is in use. */
const localSettings: Settings = {
  profileName: { value: 'local', from: 'doctor' },
  profile: localProfile,
  baseUrl: { value: localProfile.base_url, from: 'doctor' },
  key: { from: settingSources.dataFolder },
  timeoutMs: { value: 30_000, from: 'doctor' },
  retries: { value: 0, from: 'doctor' },
  history: { value: true, from: 'doctor' },
  output: { value: 'table', from: 'doctor' },
  profileFrom: 'doctor',
  profileUsed: 'local',
}

/** Checks whether a server uses the data folder, and whether a crashed one left its lock file. */
export function checkServer({ system }: Context): Finding {
  const file = join(dataDir(system), dataFiles.server)
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
    const { database, schema, problems, lists, balances, settings = [] } = await connected.call(platform.check, {})
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
      ...settings.map(({ problem, fix }) => warning('database_settings', problem, fix)),
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
