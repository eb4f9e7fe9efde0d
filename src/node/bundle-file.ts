// Finds files of the program: beside the bundle in dist/, or in a single executable, where scripts/binary.mjs puts the same files
// as assets. Node's modules are loaded with `getBuiltinModule` when they are used, so that importing this file loads none.

/**
 * Returns the URL of a file in dist/, for a module of the bundle, which is in dist/ or in dist/chunks/. Undefined for a
 * source. `module` is its `import.meta.url`.
 */
const bundleFile = (module: string, name: string): URL | undefined =>
  module.endsWith('.ts') ? undefined : new URL(`${/\/chunks\/[^/]*$/.test(module) ? '../' : './'}${name}`, module)

/** Part of `node:sea` that is used. */
export interface EmbeddedFiles {
  getRawAsset(name: string): ArrayBuffer
}

/**
 * Returns the files that the program has in itself, if it is a single executable. bin/parley.js gives its modules names
 * below the executable, where no file can be.
 */
export function embeddedFiles(module: string): EmbeddedFiles | undefined {
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  if (!module.startsWith(`${pathToFileURL(process.execPath)}/`)) return undefined
  return process.getBuiltinModule('node:sea') as EmbeddedFiles
}

/**
 * Returns the path of a file in dist/, or its content if the program is a single executable. Undefined for a source.
 * Throws if the executable has no such file.
 */
export function findBundleFile(module: string, name: string): string | Uint8Array | undefined {
  const embedded = embeddedFiles(module)
  if (embedded) return new Uint8Array(embedded.getRawAsset(name))
  const file = bundleFile(module, name)
  return file && process.getBuiltinModule('node:url').fileURLToPath(file)
}

/** Returns the content of a file, or of a compressed one of the bundle, whose name ends with `.br`. */
export async function readBundleFile(file: string | Uint8Array): Promise<Uint8Array> {
  if (typeof file !== 'string') return process.getBuiltinModule('node:zlib').brotliDecompressSync(file)
  const content = await process.getBuiltinModule('node:fs/promises').readFile(file)
  return file.endsWith('.br') ? process.getBuiltinModule('node:zlib').brotliDecompressSync(content) : content
}

/** What `new Worker` starts: a file, or a source text. */
export interface ThreadStart {
  readonly file: URL | string
  readonly eval: boolean
}

/** Returns how to start a thread from a file in dist/, or from `source` if the program runs from its sources. */
export const bundleThread = (module: string, name: string, source: string): ThreadStart =>
  embeddedFiles(module)
    ? { file: `${embeddedThread}('${name}')`, eval: true }
    : { file: bundleFile(module, name) ?? new URL(source, module), eval: false }

/**
 * Node cannot start a thread from a file of the executable: this text loads it, and what it requires. The build writes ASCII
 * only, which latin1 decodes fastest.
 */
const embeddedThread = `const { getRawAsset } = require('node:sea')
function load(name) {
  const exports = {}
  const code = Buffer.from(getRawAsset(name)).latin1Slice()
  new Function('exports', 'require', '__filename', '__dirname', code)(exports, (it) => (it[0] === '.' ? load(it.slice(2)) : require(it)), '', '')
  return exports
}
load`
