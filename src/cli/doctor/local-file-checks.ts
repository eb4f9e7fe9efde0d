import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { System } from '../../system.ts'
import { configDir, dataDir } from '../configuration/app-folders.ts'
import { hasPlatform, type LocalFile, localFiles } from '../configuration/local-files.ts'
import { configurationFile, readConfiguration } from '../configuration/profiles.ts'
import { type Finding, failed, failedWith, ok, warning } from './finding.ts'

const stats = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

/**
 * Returns whether other users have any permission on a file. Always false on Windows, whose file modes do not show it.
 */
const isAccessibleToOthers = (system: System, path: string): boolean =>
  system.os !== 'win32' && ((stats(path)?.mode ?? 0) & 0o077) !== 0

const octal = (path: string): string => ((stats(path)?.mode ?? 0) & 0o777).toString(8).padStart(4, '0')

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Checks the permissions of a folder and of the secret files in it. */
function checkPermissions(system: System, check: string, dir: string, secrets: readonly string[]): Finding[] {
  if (!stats(dir)?.isDirectory())
    return [failed(check, `${dir} is not a folder.`, 'Move the file, or choose another folder.')]
  const found: Finding[] = []
  if (!isWritable(dir))
    found.push(failed(check, `${dir} is not writable.`, `Take ownership with chown, then run: chmod 700 ${dir}`))
  for (const path of secrets.map((name) => join(dir, name)).filter((it) => stats(it)))
    if (isAccessibleToOthers(system, path))
      found.push(
        failed(
          check,
          `${path} holds secrets and is accessible to other users (mode ${octal(path)}).`,
          `chmod 600 ${path}`,
        ),
      )
  if (isAccessibleToOthers(system, dir))
    found.push(warning(check, `${dir} is accessible to other users (mode ${octal(dir)}).`, `chmod 700 ${dir}`))
  return found
}

/** Checks whether the configuration is readable, and which users can access it. */
export function checkConfiguration(system: System): Finding[] {
  const check = 'configuration'
  const dir = configDir(system)
  if (!stats(dir)) return [ok(check, `No configuration yet. It will be stored in ${dir}.`)]
  const found = checkPermissions(system, check, dir, ['config.json'])
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

/** Files of the data folder that other users must not read. */
const secretFiles = (localFiles as readonly LocalFile[]).flatMap(({ folder, name, secret }) =>
  folder === 'data' && secret && !name.includes('*') ? [name.replace(/\/$/, '')] : [],
)

/** Checks whether the data folder is usable, and which users can access it. */
export function checkDataFolder(system: System): Finding[] {
  const check = 'data_folder'
  const dir = dataDir(system)
  if (!stats(dir)) return [ok(check, `No data folder yet. The first command creates ${dir}.`)]
  const found = checkPermissions(system, check, dir, secretFiles)
  return found.length > 0 ? found : [ok(check, `Only you can access ${dir}.`)]
}

/** Returns whether the local platform has a database, or its folder or the environment names one. */
export const hasDatabase = (system: System): boolean =>
  hasPlatform(dataDir(system)) || Boolean(system.env.PARLEY_DATABASE)
