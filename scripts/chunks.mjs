// Which modules share a file of the bundle. Reading a file costs more than what most of them hold, so what is always needed together stands together.
import { join, relative } from 'node:path'

/**
 * Groups by what loads them: all that is imported, and not only when reached, by these modules and by nothing of an earlier group.
 * An earlier group never needs a later one, so no two files wait for each other.
 */
const TOGETHER = [
  // Every run.
  ['start', ['src/main.ts', 'src/world.ts']],
  // What to do next, for who named no command.
  ['guide', ['src/cli/guide.ts']],
  // Every command.
  ['command', ['src/cli/run.ts', 'src/cli/requests.ts', 'src/client/request.ts']],
  // Every command that speaks to a platform; the shapes of one resource are files of their own.
  ['contract', ['src/contract/endpoint.ts', 'src/contract/shared.ts', 'src/contract/errors.ts']],
  // Every command on the built-in platform.
  ['embedded', ['src/compose.ts', 'src/store/sqlite/open.ts', 'src/client/embedded.ts']],
]

const isShape = (id) => /[\\/]src[\\/]contract[\\/]/.test(id)
const nounOf = (id) => /[\\/]src[\\/]cli[\\/]commands[\\/]([^\\/]+)[\\/]/.exec(id)?.[1] ?? null

/**
 * Every other module of ours that is not lazy itself is a file of its own. Left to itself the bundler puts what only one lazy module uses into that module's file,
 * which then waits for the group the module itself stands in, and the group for it.
 */
const ownFile = (root, id, entryIds, module) => {
  const path = relative(join(root, 'src'), id)
  return path.startsWith('..') || entryIds.has(id) || module?.dynamicImporters.length ? null : path.replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')
}

/** The bundler's `codeSplitting` for the sources of `root`, whose `entries` keep files of their own. */
export function chunksOf(root, entries) {
  const entryIds = new Set(Object.values(entries).map((it) => join(root, it)))
  let homes
  const name = (id, context) => {
    homes ??= assign(root, entryIds, (it) => context.getModuleInfo(it))
    return homes.get(id) ?? nounOf(id) ?? ownFile(root, id, entryIds, context.getModuleInfo(id))
  }
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'together' }] }
}

/** The group of each module that has one. */
function assign(root, entryIds, getModuleInfo) {
  const homes = new Map()
  for (const [group, roots] of TOGETHER) {
    const seen = new Set()
    const visit = (id) => {
      const module = getModuleInfo(id)
      if (seen.has(id) || homes.has(id) || !module) return
      seen.add(id)
      module.importedIds.forEach(visit)
      if (!entryIds.has(id) && !module.isExternal && !(group === 'embedded' && isShape(id))) homes.set(id, group)
    }
    for (const it of roots) {
      if (!getModuleInfo(join(root, it))) throw new Error(`scripts/chunks.mjs names ${it}, which is not part of the program`)
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
    if (path.includes(file)) throw new Error(`files of the bundle wait for each other: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
    for (const it of imports.get(file)) visit(it, [...path, file])
    state.set(file, 'done')
  }
  for (const file of imports.keys()) visit(file, [])
}
