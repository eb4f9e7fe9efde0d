import { createRequire } from 'node:module'

export interface SandboxFiles {
  /** Entry file of a thread. */
  readonly worker: URL
  /** WebAssembly module; compressed if its name ends with .gz. */
  readonly wasm: string
  /** WebAssembly parts that are loaded when code mentions them. */
  readonly parts: Readonly<Record<'encoding' | 'url' | 'crypto', string>>
}

/** Returns the locations of the sandbox files: next to the sources and in their packages, or next to the bundle. */
export function sandboxFiles(): SandboxFiles {
  const here = import.meta.url
  if (!here.endsWith('.ts')) {
    // A file of the bundle is in dist/ or in dist/chunks/.
    const dist = new URL(/\/chunks\/[^/]*$/.test(here) ? '../' : './', here)
    const asset = (name: string): string => decodeURIComponent(new URL(name, dist).pathname)
    return {
      worker: new URL('sandbox.js', dist),
      wasm: asset('quickjs.wasm.gz'),
      parts: { encoding: asset('encoding.so.gz'), url: asset('url.so.gz'), crypto: asset('crypto.so.gz') },
    }
  }
  const asset = (name: string): string => createRequire(here).resolve(`quickjs-wasi/${name}`)
  return {
    worker: new URL('./worker.mjs', here),
    wasm: asset('quickjs.wasm'),
    parts: { encoding: asset('encoding.so'), url: asset('url.so'), crypto: asset('crypto.so') },
  }
}
