import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { stringifyJson } from '../../../node/json.ts'
import { suggestNames } from '../../program/commandline/closest-match.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { resources } from '../../program/resources/registry.ts'
import type { ResourceName } from '../../program/resources/resource.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import type { Layout } from './compare-folder.ts'
import { lockFileName } from './sync-lock.ts'

/**
 * Folders of the kinds in write order: a referenced resource comes before those that reference it. Projects of users have
 * these folders, and `--only` and lock files these names: they never change.
 */
const kindFolders = {
  labels: 'labels',
  folders: 'folders',
  numbers: 'numbers',
  sipTrunks: 'sip-trunks',
  knowledge: 'knowledge',
  tools: 'tools',
  assistants: 'assistants',
  senders: 'senders',
  campaigns: 'campaigns',
  automate: 'automations',
} as const satisfies Partial<Record<ResourceName, string>>

const kindLoaders: Readonly<Record<string, () => Promise<ResourceFiles>>> = Object.fromEntries(
  Object.entries(kindFolders).map(([name, folder]) => [
    folder,
    resources[name as keyof typeof kindFolders].loadFiles as () => Promise<ResourceFiles>,
  ]),
)

/** Names of the kinds of files, which are the names of their folders. */
export const fileKinds: readonly string[] = Object.keys(kindLoaders)

/** Returns a kind of files by its name. @throws ClientFailure `usage` for an unknown one */
export async function loadFileKind(name: string): Promise<ResourceFiles> {
  const load = Object.hasOwn(kindLoaders, name) ? kindLoaders[name] : undefined
  if (load) return load()
  throw usageError(`Unknown kind of file "${name}".${suggestNames(name, fileKinds)}`, `Kinds: ${fileKinds.join(', ')}.`)
}

/** Kinds that every folder has. The folders of earlier versions have no others. */
const usualKinds: readonly string[] = ['tools', 'assistants', 'automations']

/** The folder and the resources of a command. */
interface ProjectSelection {
  /** Absolute path of the project folder (default: `parley`). */
  readonly folder: string
  readonly layout: Layout
  /** The arguments for a command line in a message, with a space in front; `''` without any. */
  readonly words: string
}

/**
 * Parses the arguments of a command: a folder, and names such as `assistants/front-desk.yaml`. Without names and
 * `--only`, `isExport` selects all kinds, and other commands those that the folder has. @throws ClientFailure `usage`
 * for an unknown kind
 */
export async function parseSelection(
  { system }: Context,
  words: readonly string[],
  only: unknown,
  isExport = false,
): Promise<ProjectSelection> {
  const found = words.map((it) => (isFolder(resolve(system.cwd, it)) ? undefined : parseName(it)))
  const names = found.filter((it) => it !== undefined)
  const plain = words.filter((_, n) => !found[n])
  if (plain.length > 1)
    throw usageError(
      `Only one folder can be given, not ${plain.map((it) => `"${it}"`).join(' and ')}.`,
      'Name a resource with its kind: assistants/front-desk.',
    )
  const prefix = names.find((it) => it.folder !== '')?.folder
  const given = plain[0] ?? prefix
  const folder = resolve(system.cwd, given ?? 'parley')
  if (existsSync(folder) && !isFolder(folder))
    throw usageError(
      `${given ?? 'parley'} is a file, not a folder.`,
      'Pass the folder of the project, or a name such as assistants/front-desk.',
    )
  const other = names.find((it) => it.folder !== '' && resolve(system.cwd, it.folder) !== folder)
  if (other) throw usageError(`The files are in different folders: ${given} and ${other.folder}.`)
  return {
    folder,
    layout: await toLayout(folder, names, only, isExport),
    words: words.map((it) => ` ${/^[\w./-]+$/.test(it) ? it : stringifyJson(it)}`).join(''),
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

interface NamedFile {
  /** Folder before the kind; `''` if there is none. */
  readonly folder: string
  readonly kind: string
  readonly name: string
}

/** Parses `assistants/front-desk.yaml`, also with a folder in front. Returns undefined for a folder. */
function parseName(word: string): NamedFile | undefined {
  const kind = basename(dirname(word))
  const name = basename(word).replace(/\.ya?ml$/, '')
  if (!Object.hasOwn(kindLoaders, kind) || name === '') return undefined
  const folder = dirname(dirname(word))
  return { folder: folder === '.' ? '' : folder, kind, name }
}

/** Returns whether an argument has the kind and the name of a resource: `assistants/front-desk`. */
export const isResourcePath = (word: string): boolean => parseName(word) !== undefined

async function toLayout(
  folder: string,
  names: readonly NamedFile[],
  only: unknown,
  isExport: boolean,
): Promise<Layout> {
  const kinds = only === undefined ? undefined : parseKinds(only)
  const outside = kinds && names.find((it) => !kinds.includes(it.kind))
  if (outside) throw usageError(`--only excludes ${outside.kind}/${outside.name}.`)
  const chosen = names.length > 0 ? names.map((it) => it.kind) : (kinds ?? defaultKinds(folder, isExport))
  return Promise.all(
    Object.entries(kindLoaders).flatMap(([kind, load]) => {
      if (!chosen.includes(kind)) return []
      const selected = new Set(names.filter((it) => it.kind === kind).map((it) => it.name))
      return [load().then((it) => (selected.size > 0 ? ([kind, it, selected] as const) : ([kind, it] as const)))]
    }),
  )
}

/** Parses `--only`. @throws ClientFailure `usage` for an unknown kind */
function parseKinds(only: unknown): string[] {
  const kinds = String(only)
    .split(',')
    .map((it) => it.trim())
  const wrong = kinds.find((it) => !Object.hasOwn(kindLoaders, it))
  if (wrong !== undefined) throw usageError(`Invalid --only "${wrong}". Use ${fileKinds.join(', ')}.`)
  return kinds
}

/** Returns all kinds if a folder was exported with all of them, so that folders of earlier versions do not change. */
function defaultKinds(folder: string, isExport: boolean): readonly string[] {
  return isExport || fileKinds.some((it) => !usualKinds.includes(it) && existsSync(join(folder, it)))
    ? fileKinds
    : usualKinds
}

/** Returns whether a folder is a project: what `parley pull` wrote. */
export const isProject = (folder: string): boolean =>
  existsSync(join(folder, lockFileName)) || existsSync(join(folder, kindFolders.assistants))

/**
 * Creates the error for a project folder that does not exist. Its hint is `here` when the command was started inside a
 * project and no folder was given.
 */
export const missingFolderError = (
  folder: string,
  { cwd, here, pull }: { readonly cwd: string; readonly here: string; readonly pull: string },
): ClientFailure =>
  usageError(
    `Folder ${folder} not found.`,
    folder === join(cwd, 'parley') && isProject(cwd)
      ? `The current folder is a project. To use it: ${here}`
      : `Export the platform to it: ${pull}`,
  )
