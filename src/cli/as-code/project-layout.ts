import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { type FileResource, resources } from '../resources/descriptors.ts'
import type { Layout } from './compare-folder.ts'
import type { FileKind } from './kinds/file-kind.ts'

export const folderArgument = {
  name: 'folder',
  describe: 'Folder of the files (default: parley)',
  optional: true,
} as const

/** Kinds in write order: a referenced resource comes before those that reference it. */
const writeOrder: Readonly<Record<FileResource, number>> = { tools: 1, assistants: 2, automate: 3 }

const kindLoaders: Readonly<Record<string, () => Promise<FileKind>>> = Object.fromEntries(
  (Object.keys(writeOrder) as FileResource[])
    .sort((a, b) => writeOrder[a] - writeOrder[b])
    .map((name) => [resources[name].plural, resources[name].loadFileKind as () => Promise<FileKind>]),
)

export const onlyFlag = {
  flags: '--only <kinds>',
  describe: 'Comma-separated kinds: assistants, tools, automations (default: all)',
} as const

/** Returns the absolute path of the project folder (default: `parley`). */
export const projectFolder = ({ system }: Context, given: string | undefined): string =>
  resolve(system.cwd, given ?? 'parley')

/** Parses `--only` to a layout of the chosen kinds. @throws ClientFailure `usage` for an unknown kind */
export async function parseLayout(chosen: unknown): Promise<Layout> {
  const names =
    chosen === undefined
      ? Object.keys(kindLoaders)
      : String(chosen)
          .split(',')
          .map((it) => it.trim())
  const wrong = names.find((it) => !Object.hasOwn(kindLoaders, it))
  if (wrong !== undefined) throw usageError(`Invalid --only "${wrong}". Use ${Object.keys(kindLoaders).join(', ')}.`)
  return Promise.all(
    Object.entries(kindLoaders).flatMap(([name, load]) =>
      names.includes(name) ? [load().then((kind) => [name, kind] as const)] : [],
    ),
  )
}
