// Decides which modules share a file of the bundle. Opening a file costs more than reading most modules, so modules that are always needed together share one.
import { join, relative } from 'node:path'

/**
 * Groups of modules, named by the modules that load them: everything they import statically and no earlier group does.
 * An earlier group never needs a later one, so no two files wait for each other.
 */
const TOGETHER = [
  // Completion, which a shell waits for at every Tab, and every command: folders, and the lists that were printed.
  [
    'places',
    ['src/cli/configuration/app-folders.ts', 'src/cli/completion/completion-cache.ts', 'src/node/make-folder.ts'],
  ],
  // Completion without its table: parsing the line of the shell, quoting words, and reading a list that was never printed.
  ['completing', ['src/cli/completion/fetch-list.ts', 'src/cli/completion/shell-line.ts']],
  // Every run. The short help, the layout of help pages and wrapping of text are small, and every other group needs them.
  // An entry shares a file with the modules it loads, and other files load them from there.
  ['start', ['src/entry.ts', 'src/cli/help/program-help.ts', 'src/cli/help/render-page.ts']],
  // Help of the program.
  ['program', ['src/cli/help/program-page.ts']],
  // Help of a noun or a command.
  ['help', ['src/cli/help/help-page.ts']],
  // Every command.
  [
    'command',
    [
      'src/cli/run.ts',
      'src/cli/connection/send-request.ts',
      'src/client/requests/build-request.ts',
      'src/cli/connection/local-credentials.ts',
    ],
  ],
  // Every command that sends requests to a platform. The schemas of each resource are separate files.
  [
    'contract',
    [
      'src/contract/mechanics/endpoint.ts',
      'src/contract/mechanics/field-schemas.ts',
      'src/contract/errors/failures.ts',
      'src/contract/mechanics/validation.ts',
    ],
  ],
  // Modules that the commands of several nouns share.
  [
    'parts',
    ['src/cli/prompts/prompt-fields.ts', 'src/cli/consent/delete-resource.ts', 'src/cli/output/print-result.ts'],
  ],
  // Output for people, and the completion cache that is filled from it.
  ['shown', ['src/cli/output/table.ts', 'src/cli/output/record.ts', 'src/cli/completion/update-completion-cache.ts']],
  // Every command on a remote deployment.
  ['remote', ['src/client/transport/remote-transport.ts', 'src/client/transport/direct-connection.ts']],
  // Every command on the local platform.
  [
    'embedded',
    [
      'src/compose.ts',
      'src/store/sqlite/open-sqlite.ts',
      'src/client/transport/in-process-transport.ts',
      'src/generated/routes.ts',
      'src/contract/values/countries.ts',
    ],
  ],
]

const isContract = (id) => /[\\/]src[\\/]contract[\\/]/.test(id)
/** The entry of Kysely imports every dialect. Only the connection to PostgreSQL, which is loaded lazily, uses this one. */
const isForServer = (id) => /[\\/]kysely[\\/].*[\\/]dialect[\\/](postgres|mysql|mssql)[\\/]/.test(id)
const folderOf = (id) => /[\\/]src[\\/]cli[\\/]commands[\\/]([^\\/]+)[\\/]/.exec(id)?.[1] ?? null

/** The verbs that are used most and need few modules: those that read. And `server start`, which other programs wait for. */
const isAlone = (id) => /[\\/](list|get|show|status|search|versions|senders|server[\\/]start)\.ts$/.test(id)

/** Whether a separate verb, or a verb of another noun, loads this module directly or through a module of the same noun. */
const isShared = (id, getModuleInfo, seen = new Set()) =>
  !seen.has(id) &&
  seen.add(id) &&
  (getModuleInfo(id)?.importers ?? []).some(
    (by) => isAlone(by) || folderOf(by) !== folderOf(id) || isShared(by, getModuleInfo, seen),
  )

/**
 * Puts the verbs of a noun into one file, except those that read and modules that other nouns load, such as finding a campaign by name.
 * Otherwise the other nouns would load all verbs and their modules too.
 */
const nounOf = (id, getModuleInfo) => (isAlone(id) || isShared(id, getModuleInfo) ? null : folderOf(id))

/**
 * Puts every other module that is not loaded lazily into a separate file. By default the bundler puts a module that only one lazy module uses into
 * the file of that module. That file and the group of the module would then wait for each other.
 */
const ownFile = (root, id, entryIds, module) => {
  const path = relative(join(root, 'src'), id)
  return path.startsWith('..') || entryIds.has(id) || module?.dynamicImporters.length
    ? null
    : path.replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')
}

/** The `codeSplitting` option of the bundler for the sources of `root`. The `entries` stay separate files. */
export function chunksOf(root, entries) {
  const entryIds = new Set(Object.values(entries).map((it) => join(root, it)))
  let homes
  const name = (id, context) => {
    homes ??= assign(root, (it) => context.getModuleInfo(it))
    return (
      homes.get(id) ??
      nounOf(id, (it) => context.getModuleInfo(it)) ??
      ownFile(root, id, entryIds, context.getModuleInfo(id))
    )
  }
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'together' }] }
}

/** The group of each module, for modules that have one. */
function assign(root, getModuleInfo) {
  const homes = new Map()
  for (const [group, roots] of TOGETHER) {
    const seen = new Set()
    // The schemas of a resource are loaded when a request for it arrives. The rest of the contract is listed here.
    const isShape = (id) => group === 'embedded' && isContract(id) && !roots.some((it) => join(root, it) === id)
    const visit = (id) => {
      const module = getModuleInfo(id)
      if (seen.has(id) || homes.has(id) || !module) return
      seen.add(id)
      module.importedIds.forEach(visit)
      if (!module.isExternal && !isForServer(id) && !isShape(id)) homes.set(id, group)
    }
    for (const it of roots) {
      if (!getModuleInfo(join(root, it)))
        throw new Error(`scripts/chunks.mjs names ${it}, which is not part of the program`)
      visit(join(root, it))
    }
  }
  return homes
}

/** Throws if two files of the bundle import each other, because one would see the other half loaded. */
export function refuseCycles(chunks) {
  const imports = new Map(chunks.map((it) => [it.fileName, it.imports]))
  const state = new Map()
  const visit = (file, path) => {
    if (state.get(file) === 'done' || !imports.has(file)) return
    if (path.includes(file))
      throw new Error(
        `files of the bundle wait for each other: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`,
      )
    for (const it of imports.get(file)) visit(it, [...path, file])
    state.set(file, 'done')
  }
  for (const file of imports.keys()) visit(file, [])
}
