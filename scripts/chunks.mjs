// Which modules share a file of the bundle. Reading a file costs more than what most of them hold, so what is always needed together stands together.
import { join, relative } from 'node:path'

/**
 * Groups by what loads them: all that is imported, and not only when reached, by these modules and by nothing of an earlier group.
 * An earlier group never needs a later one, so no two files wait for each other.
 */
const TOGETHER = [
  // The completion, which a shell waits for at every Tab, and every command: where things are, and what was listed.
  [
    'places',
    ['src/cli/configuration/app-folders.ts', 'src/cli/completion/completion-cache.ts', 'src/node/make-folder.ts'],
  ],
  // The completion beside its table: how a shell's line is read and its words are quoted, and a list that was never printed.
  ['completing', ['src/cli/completion/fetch-list.ts', 'src/cli/completion/shell-line.ts']],
  // Every run. The short help, how a page of help is laid out and how text is wrapped are small, and every other group needs them.
  // An entry shares a file with what it loads, and others load it from there.
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
  // Every command that speaks to a platform; the shapes of one resource are files of their own.
  [
    'contract',
    [
      'src/contract/mechanics/endpoint.ts',
      'src/contract/mechanics/field-schemas.ts',
      'src/contract/errors/failures.ts',
      'src/contract/mechanics/validation.ts',
    ],
  ],
  // What the commands of a noun share with those of others.
  [
    'parts',
    ['src/cli/prompts/prompt-fields.ts', 'src/cli/consent/delete-resource.ts', 'src/cli/output/print-result.ts'],
  ],
  // Results for people, and what is remembered of them.
  ['shown', ['src/cli/output/table.ts', 'src/cli/output/record.ts', 'src/cli/completion/update-completion-cache.ts']],
  // Every command on a platform elsewhere.
  ['remote', ['src/client/transport/remote-transport.ts', 'src/client/transport/direct-connection.ts']],
  // Every command on the built-in platform.
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
/** Kysely's one entry imports every dialect; only the connection to a server, itself reached when needed, has a use for this one. */
const isForServer = (id) => /[\\/]kysely[\\/].*[\\/]dialect[\\/](postgres|mysql|mssql)[\\/]/.test(id)
const folderOf = (id) => /[\\/]src[\\/]cli[\\/]commands[\\/]([^\\/]+)[\\/]/.exec(id)?.[1] ?? null

/** What is asked most, and needs little of what the other verbs talk to: looking. And the one verb that others wait for. */
const isAlone = (id) => /[\\/](list|get|show|status|search|versions|senders|server[\\/]start)\.ts$/.test(id)

/** Whether a verb that stands alone, or another noun's, loads this module, straight or through a neighbour of it. */
const isShared = (id, getModuleInfo, seen = new Set()) =>
  !seen.has(id) &&
  seen.add(id) &&
  (getModuleInfo(id)?.importers ?? []).some(
    (by) => isAlone(by) || folderOf(by) !== folderOf(id) || isShared(by, getModuleInfo, seen),
  )

/**
 * The verbs of a noun stand together, but for those that look, and for what other nouns load, such as how a campaign is found by its name: the verbs would
 * come along, and what they load, noun after noun.
 */
const nounOf = (id, getModuleInfo) => (isAlone(id) || isShared(id, getModuleInfo) ? null : folderOf(id))

/**
 * Every other module of ours that is not lazy itself is a file of its own. Left to itself the bundler puts what only one lazy module uses into that module's file,
 * which then waits for the group the module itself stands in, and the group for it.
 */
const ownFile = (root, id, entryIds, module) => {
  const path = relative(join(root, 'src'), id)
  return path.startsWith('..') || entryIds.has(id) || module?.dynamicImporters.length
    ? null
    : path.replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')
}

/** The bundler's `codeSplitting` for the sources of `root`, whose `entries` keep files of their own. */
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

/** The group of each module that has one. */
function assign(root, getModuleInfo) {
  const homes = new Map()
  for (const [group, roots] of TOGETHER) {
    const seen = new Set()
    // The shapes of a resource, and what they are made of, are reached for when a request for it arrives; the rest of the contract is named.
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

/** Fails when two files wait for each other: one of them would see the other half loaded. `chunks` are the bundler's. */
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
