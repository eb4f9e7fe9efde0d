// Decides which modules share a file of the bundle. A seam is an entry, or the module of an import(). Modules that are in
// memory after the same seams are one part, and parts are merged while that saves more for files than it costs for bytes.
import { basename, join } from 'node:path'

/** What reading a file costs, as the size of sources that take as long to load. */
const FILE_BYTES = 12_000

/** How much more often than a command the entries, the help and the kernel of commands are loaded. */
const OFTEN = 20

/** Module whose `import()` are the modules of commands, and what every command loads beside its own module. */
const COMMANDS = 'src/cli/tree.ts'
const EVERY_COMMAND = ['cli/resources', 'cli/program/run']

/** Returns the bundler's `codeSplitting` for the sources of `root` with these `entries`. */
export function chunksOf(root, entries) {
  let names
  const name = (id, context) => {
    names ??= new Map(
      merged(createParts(root, Object.values(entries), (it) => context.getModuleInfo(it))).flatMap(({ ids }, n) =>
        ids.map((it) => [it, `${basename(ids[0]).split('.')[0]}-${n}`]),
      ),
    )
    return names.get(id) ?? null
  }
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'loaded together' }] }
}

/** Returns the parts, and how often each seam is loaded. What a part imports is in memory wherever the part is. */
function createParts(root, entries, infoOf) {
  const { seams, counts } = readSeams(root, entries, infoOf)
  const parts = new Map()
  const partOf = new Map()
  for (const id of new Set(seams.flatMap((it) => [...it]))) {
    const after = Uint8Array.from(seams, (it) => Number(it.has(id)))
    const key = after.join('')
    const part = parts.get(key) ?? { ids: [], size: 0, after, imports: new Set() }
    parts.set(key, part)
    partOf.set(id, part)
    part.ids.push(id)
    part.size += infoOf(id).code.length
  }
  for (const [id, part] of partOf)
    for (const it of infoOf(id).importedIds) if (partOf.has(it)) part.imports.add(partOf.get(it))
  for (const it of parts.values()) it.imports.delete(it)
  return { parts: new Set(parts.values()), counts }
}

/** Returns the modules in memory after each seam: its imports, and what is in memory after each of its importers. */
function readSeams(root, entries, infoOf) {
  const isBundled = (id) => typeof infoOf(id)?.code === 'string'
  const imports = new Map()
  const importers = new Map(entries.map((it) => [join(root, it), undefined]))
  const isOfCommand = new Set()
  for (const seam of importers.keys()) {
    const found = new Set([seam])
    for (const id of found) for (const it of infoOf(id).importedIds) if (isBundled(it)) found.add(it)
    imports.set(seam, found)
    for (const id of found)
      for (const it of infoOf(id).dynamicallyImportedIds.filter(isBundled)) {
        if (!importers.has(it)) importers.set(it, new Set())
        importers.get(it)?.add(seam)
        if (id === join(root, COMMANDS)) isOfCommand.add(it)
      }
  }
  const missing = EVERY_COMMAND.find((it) => !imports.has(join(root, `src/${it}.ts`)))
  if (missing) throw new Error(`scripts/chunks.mjs names ${missing}, which no import() loads`)
  const ofCommand = EVERY_COMMAND.flatMap((it) => [...imports.get(join(root, `src/${it}.ts`))])
  const all = new Set([...imports.values()].flatMap((it) => [...it]))
  const memory = new Map([...imports].map(([seam, own]) => [seam, importers.get(seam) ? all : own]))
  for (let isStable = false; !isStable; ) {
    isStable = true
    for (const [seam, [first, ...others]] of [...importers].filter(([, it]) => it)) {
      const loaded = new Set([...imports.get(seam), ...(isOfCommand.has(seam) ? ofCommand : [])])
      for (const id of memory.get(first)) if (others.every((it) => memory.get(it).has(id))) loaded.add(id)
      if (loaded.size !== memory.get(seam).size) isStable = false
      memory.set(seam, loaded)
    }
  }
  const isOften = (seam) => !isOfCommand.has(seam) && [...(importers.get(seam) ?? [])].every((it) => !importers.get(it))
  return { seams: [...memory.values()], counts: [...memory.keys()].map((it) => (isOften(it) ? OFTEN : 1)) }
}

/**
 * Merges parts. What is read after a seam counts in inverse proportion to all that is in memory by then: a file more is
 * felt in the help, not in a server.
 */
function merged({ parts, counts }) {
  const loaded = counts.map(() => FILE_BYTES)
  for (const { after, size } of parts) for (const seam of after.keys()) loaded[seam] += after[seam] * size
  const weights = loaded.map((bytes, seam) => counts[seam] / bytes)

  /** Returns the weight of all seams after which `x` is in memory, and `y` too, or `y` not. */
  function weightOf(x, y, isWithY = 1) {
    let weight = 0
    for (let seam = 0; seam < weights.length; seam++)
      if (x.after[seam] && y.after[seam] === isWithY) weight += weights[seam]
    return weight
  }

  /** Returns what a merge saves, if that is more than another one saves. */
  function gainOf(x, y, atLeast) {
    if (x === y || FILE_BYTES * Math.min(x.weight, y.weight) <= atLeast) return 0
    const shared = weightOf(x, y)
    let gain = FILE_BYTES * shared - x.size * (y.weight - shared) - y.size * (x.weight - shared)
    if (gain <= atLeast) return 0
    for (const it of new Set([...importsOf(x), ...importsOf(y)])) {
      if (it === x || it === y) continue
      // A part between them would import the merged one, and be imported by it.
      if (importsOf(it).has(x) || importsOf(it).has(y)) return 0
      gain -= (it.size + FILE_BYTES) * Math.max(weightOf(x, it, 0), weightOf(y, it, 0))
    }
    return gain
  }

  let closures = new Map()
  /** Returns all parts that a part imports, directly or not. */
  function importsOf(part) {
    if (closures.has(part)) return closures.get(part)
    const found = new Set(part.imports)
    for (const it of found) for (const more of it.imports) found.add(more)
    closures.set(part, found)
    return found
  }

  /** Moves the modules of `x` to `y`. What `y` imports is then in memory wherever `x` was. */
  function merge(x, y) {
    parts.delete(x)
    y.ids.push(...x.ids)
    y.size += x.size
    for (const it of x.imports) y.imports.add(it)
    for (const it of parts) if (it.imports.delete(x)) it.imports.add(y)
    y.imports.delete(y)
    closures = new Map()
    for (const it of [y, ...importsOf(y)]) {
      it.after = it.after.map((is, seam) => is | x.after[seam] | y.after[seam])
      it.weight = weightOf(it, it)
    }
  }

  for (const it of parts) it.weight = weightOf(it, it)
  for (let count; count !== parts.size; ) {
    count = parts.size
    for (const x of [...parts].sort((a, b) => a.size - b.size)) {
      let best = { gain: 0 }
      for (const y of parts) {
        const gain = gainOf(x, y, best.gain)
        if (gain > best.gain) best = { gain, y }
      }
      if (best.y) merge(x, best.y)
    }
  }
  return [...parts]
}

/** Throws if files of the bundler import each other in a circle: one of them would see another partly loaded. */
export function refuseCycles(chunks) {
  let waiting = chunks
  for (let count; count !== waiting.length; ) {
    count = waiting.length
    const names = new Set(waiting.map((it) => it.fileName))
    waiting = waiting.filter((it) => it.imports.some((name) => names.has(name)))
  }
  if (waiting.length > 0)
    throw new Error(`files of the bundle wait for each other: ${waiting.map((it) => it.fileName).join(', ')}`)
}
