import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { describeFileError, describeWriteError } from '../../../node/file-error.ts'
import { configDir, dataDir } from '../../program/configuration/app-folders.ts'
import { hasPlatform, type LocalFile, localFiles } from '../../program/configuration/local-files.ts'
import { configurationFile, readConfiguration } from '../../program/configuration/profiles.ts'
import type { System } from '../../program/system.ts'
import { type Finding, failed, failedWith, ok, warning } from './finding.ts'

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
  } catch {
    return false
  }
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
  if (isMissing(dir)) return [ok(check, `No configuration yet. It will be stored in ${dir}.`)]
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
  if (isMissing(dir)) return [ok(check, `No data folder yet. The first command creates ${dir}.`)]
  const found = checkFolder(system, check, 'data', dir)
  return found.length > 0 ? found : [ok(check, `Only you can access ${dir}.`)]
}

/** Returns whether the local platform has a database, or its folder or the environment names one. */
export const hasDatabase = (system: System): boolean =>
  hasPlatform(dataDir(system)) || Boolean(system.env.PARLEY_DATABASE)
