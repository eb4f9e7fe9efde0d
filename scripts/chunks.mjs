// Decides which modules share a file of the bundle. Reading a file costs more than most modules contain, so modules
// that are always needed together are in one file.
import { join, relative } from 'node:path'

/**
 * Groups of modules by entry: all static imports of these modules that are in no earlier group.
 * An earlier group never imports a later one, so that no two files import each other.
 */
const TOGETHER = [
  // Completion, which a shell waits for at every Tab, and every command: locations of files, and stored lists.
  [
    'places',
    [
      'src/cli/program/configuration/app-folders.ts',
      'src/cli/program/lists/completion-cache.ts',
      'src/node/make-folder.ts',
      'src/node/is-error.ts',
      'src/node/real-time.ts',
    ],
  ],
  // Completion in addition to its table: parsing the line of the shell, quoting words, and lists that were never
  // printed.
  ['completing', ['src/cli/reference/completion/complete.ts']],
  // Every run. The short help, the layout of help pages and the wrapping of text are small, and every other group needs
  // them. An entry is in one file with its imports, and others load them from there.
  ['start', ['src/entry.ts', 'src/cli/reference/help/program-help.ts', 'src/cli/reference/help/render-page.ts']],
  // Help of the program.
  ['program', ['src/cli/reference/help/program-page.ts']],
  // Help of a noun or a command.
  ['help', ['src/cli/reference/help/help-page.ts']],
  // What every command and every server need.
  [
    'base',
    [
      'src/node/replace-file.ts',
      'src/node/can-enter.ts',
      'src/node/temporary-folder.ts',
      'src/node/ndjson.ts',
      'src/node/crypto.ts',
      'src/node/time-limit.ts',
      'src/node/content-coding.ts',
      'src/node/decode-text.ts',
      'src/contract/mechanics/coerce.ts',
      'src/contract/mechanics/endpoint.ts',
      'src/contract/mechanics/capabilities.ts',
      'src/contract/mechanics/ignored-header.ts',
      'src/contract/automations/automation-headers.ts',
      'src/contract/values/json-object.ts',
      'src/contract/values/redact.ts',
      'src/client/transport/transport.ts',
    ],
  ],
  // Commands and servers that others must not work beside.
  ['locks', ['src/node/file-lock.ts', 'src/node/folder-marker.ts']],
  // Every command.
  [
    'command',
    [
      'src/cli/program/run.ts',
      'src/cli/resources.ts',
      'src/cli/program/connection/send-request.ts',
      'src/cli/program/commandline/list-command.ts',
      'src/client/requests/build-request.ts',
      'src/cli/program/connection/account-cache.ts',
    ],
  ],
  // Every command that connects to a platform. The schemas of a resource are separate files.
  [
    'contract',
    [
      'src/contract/mechanics/endpoint.ts',
      'src/contract/mechanics/field-schemas.ts',
      'src/contract/errors/failures.ts',
      'src/contract/mechanics/endpoint-origins.ts',
      'src/contract/mechanics/validation.ts',
      'src/contract/mechanics/normalize-response.ts',
      'src/contract/mechanics/read-only-fields.ts',
      'src/contract/values/micros.ts',
      'src/contract/values/millionths.ts',
    ],
  ],
  // Modules that the commands of a noun share with those of other nouns.
  [
    'parts',
    [
      'src/cli/program/prompts/prompt-fields.ts',
      'src/cli/program/commandline/create-command.ts',
      'src/cli/program/commandline/delete-command.ts',
      'src/cli/program/commandline/get-command.ts',
      'src/cli/program/output/print-result.ts',
    ],
  ],
  // Output for users, and the completion cache.
  [
    'shown',
    [
      'src/cli/program/output/tables/table.ts',
      'src/cli/program/output/tables/cards.ts',
      'src/cli/program/lists/update-completion-cache.ts',
      'src/cli/program/configuration/setting-origins.ts',
      'src/cli/program/configuration/active-profile.ts',
    ],
  ],
  // Every command on a remote deployment.
  ['remote', ['src/client/transport/remote-transport.ts', 'src/client/transport/direct-connection.ts']],
  // Every command on the local platform.
  [
    'embedded',
    [
      'src/platform/compose.ts',
      'src/node/trace.ts',
      'src/platform/store/sqlite/open-sqlite.ts',
      'src/client/transport/in-process-transport.ts',
      'src/generated/routes.ts',
      'src/contract/values/countries.ts',
    ],
  ],
  // Every server.
  [
    'serving',
    [
      'src/platform/serve.ts',
      'src/platform/server/monitoring/monitor.ts',
      'src/platform/control/data-folder/request-log.ts',
    ],
  ],
  // New databases.
  [
    'filling',
    [
      'src/platform/store/sqlite/schema-template.ts',
      'src/platform/control/sample-data/sample-rows.ts',
      'src/platform/providers/telephony/number-inventory.ts',
      'src/platform/control/sample-data/fill-platform.ts',
    ],
  ],
  // Small files of the built-in platform that several commands load together.
  ['assistant-rows', ['src/platform/store/assistants/assistants.ts']],
  ['tool-rows', ['src/platform/store/assistants/tools.ts', 'src/platform/services/assistants/sealed-tool-fields.ts']],
  ['catalogues', ['src/platform/services/catalogues/languages.ts', 'src/platform/services/catalogues/catalogues.ts']],
  ['language-model', ['src/platform/providers/language-model/configured-model.ts']],
  // Web pages, with the parser of HTML that only they need.
  ['pages', ['src/platform/providers/website-reader/read-website.ts']],
]

const isContract = (id) => /[\\/]src[\\/]contract[\\/]/.test(id)
/**
 * Returns a separate file for every other module of the project that is not lazy. By default, the bundler adds a module
 * with one lazy importer to the file of that importer. That file and the group of the importer would then import each
 * other.
 */
const ownFile = (root, id, entryIds, module) => {
  const path = relative(join(root, 'src'), id)
  return path.startsWith('..') || entryIds.has(id) || module?.dynamicImporters.length
    ? null
    : path.replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')
}

/**
 * Packages with a file of their own. Modules with files of their own import them: in the file of the lazy module above,
 * where the bundler would put them, the two files would wait for each other.
 */
const packageOf = (id) => {
  const [, name = ''] = /[\\/]node_modules[\\/]([^\\/]+)[\\/](?!.*[\\/]node_modules[\\/])/.exec(id) ?? []
  if (/^(htmlparser2|entities|dom[\w-]*)$/.test(name)) return 'html-parser'
  return /^(pg|pg-[\w-]+|pgpass|postgres-[\w-]+|split2|xtend)$/.test(name) ? 'postgres-client' : null
}

/** Returns the bundler's `codeSplitting` for the sources of `root`, whose `entries` have separate files. */
export function chunksOf(root, entries) {
  const entryIds = new Set(Object.values(entries).map((it) => join(root, it)))
  let homes
  const name = (id, context) => {
    homes ??= assign(root, (it) => context.getModuleInfo(it))
    return homes.get(id) ?? packageOf(id) ?? ownFile(root, id, entryIds, context.getModuleInfo(id))
  }
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'together' }] }
}

/** Returns the group of each module that has one. */
function assign(root, getModuleInfo) {
  const homes = new Map()
  for (const [group, roots] of TOGETHER) {
    const seen = new Set()
    // The schemas of a resource and their imports are loaded when a request for it arrives. The rest of the contract is
    // listed explicitly.
    const isShape = (id) => group === 'embedded' && isContract(id) && !roots.some((it) => join(root, it) === id)
    const visit = (id) => {
      const module = getModuleInfo(id)
      if (seen.has(id) || homes.has(id) || !module) return
      seen.add(id)
      module.importedIds.forEach(visit)
      if (!module.isExternal && !isShape(id)) homes.set(id, group)
    }
    for (const entry of roots) {
      if (!getModuleInfo(join(root, entry)))
        throw new Error(`scripts/chunks.mjs names ${entry}, which is not part of the program`)
      visit(join(root, entry))
    }
  }
  return homes
}

/**
 * Throws if two files import each other, because one of them would see the other partly loaded. `chunks` are those of
 * the bundler.
 */
export function refuseCycles(chunks) {
  const imports = new Map(chunks.map((it) => [it.fileName, it.imports]))
  const state = new Map()
  const visit = (file, path) => {
    if (state.get(file) === 'done' || !imports.has(file)) return
    if (path.includes(file))
      throw new Error(
        `files of the bundle wait for each other: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`,
      )
    for (const target of imports.get(file)) visit(target, [...path, file])
    state.set(file, 'done')
  }
  for (const file of imports.keys()) visit(file, [])
}
