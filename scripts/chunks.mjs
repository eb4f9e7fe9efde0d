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
      'src/cli/configuration/app-folders.ts',
      'src/cli/completion/completion-cache.ts',
      'src/node/make-folder.ts',
      'src/node/is-error.ts',
      'src/node/real-time.ts',
    ],
  ],
  // Completion in addition to its table: parsing the line of the shell, quoting words, and lists that were never
  // printed.
  [
    'completing',
    ['src/cli/completion/complete.ts', 'src/cli/completion/complete.ts', 'src/cli/completion/complete.ts'],
  ],
  // Every run. The short help, the layout of help pages and the wrapping of text are small, and every other group needs
  // them. An entry is in one file with its imports, and others load them from there.
  ['start', ['src/entry.ts', 'src/cli/help/program-help.ts', 'src/cli/help/render-page.ts']],
  // Help of the program.
  ['program', ['src/cli/help/program-page.ts']],
  // Help of a noun or a command.
  ['help', ['src/cli/help/help-page.ts']],
  // What every command and every server need.
  [
    'base',
    [
      'src/node/replace-file.ts',
      'src/node/can-enter.ts',
      'src/node/make-temporary-folder.ts',
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
      'src/client/requests/redact.ts',
      'src/client/transport/transport.ts',
    ],
  ],
  // Commands and servers that others must not work beside.
  ['locks', ['src/node/file-lock.ts', 'src/node/folder-marker.ts']],
  // Every command.
  [
    'command',
    [
      'src/cli/run.ts',
      'src/cli/connection/send-request.ts',
      'src/cli/commandline/list-command.ts',
      'src/client/requests/build-request.ts',
      'src/cli/connection/local-credentials.ts',
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
      'src/cli/prompts/prompt-fields.ts',
      'src/cli/commandline/create-command.ts',
      'src/cli/commandline/delete-command.ts',
      'src/cli/commandline/get-command.ts',
      'src/cli/output/print-result.ts',
    ],
  ],
  // Output for users, and the completion cache.
  [
    'shown',
    [
      'src/cli/output/tables/table.ts',
      'src/cli/output/tables/record.ts',
      'src/cli/completion/update-completion-cache.ts',
      'src/cli/configuration/setting-origins.ts',
      'src/cli/configuration/active-profile.ts',
    ],
  ],
  // Every command on a remote deployment.
  ['remote', ['src/client/transport/remote-transport.ts', 'src/client/transport/direct-connection.ts']],
  // Every command on the local platform.
  [
    'embedded',
    [
      'src/compose.ts',
      'src/node/trace.ts',
      'src/store/sqlite/open-sqlite.ts',
      'src/client/transport/in-process-transport.ts',
      'src/generated/routes.ts',
      'src/contract/values/countries.ts',
    ],
  ],
  // Every server.
  ['serving', ['src/serve.ts', 'src/server/monitoring/monitor.ts', 'src/control/data-folder/request-log.ts']],
  // New databases.
  [
    'filling',
    [
      'src/store/sqlite/schema-template.ts',
      'src/control/seed/sample-rows.ts',
      'src/providers/telephony/number-inventory.ts',
      'src/control/data-folder/local-key.ts',
    ],
  ],
  // Small files of the built-in platform that several commands load together.
  ['assistant-rows', ['src/store/assistants/assistants.ts']],
  ['tool-rows', ['src/store/assistants/tools.ts', 'src/services/assistants/sealed-tool-fields.ts']],
  [
    'catalogues',
    [
      'src/services/catalogues/languages.ts',
      'src/services/catalogues/catalogues.ts',
      'src/services/catalogues/catalogues.ts',
      'src/services/catalogues/catalogues.ts',
    ],
  ],
  ['language-model', ['src/providers/language-model/configured-model.ts']],
  // Web pages, with the parser of HTML that only they need.
  ['pages', ['src/providers/website-reader/read-website.ts']],
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
    for (const it of roots) {
      if (!getModuleInfo(join(root, it)))
        throw new Error(`scripts/chunks.mjs names ${it}, which is not part of the program`)
      visit(join(root, it))
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
    for (const it of imports.get(file)) visit(it, [...path, file])
    state.set(file, 'done')
  }
  for (const file of imports.keys()) visit(file, [])
}
