import { createRequire } from 'node:module'

export interface SandboxFiles {
  /** What a thread is started with. */
  readonly worker: URL
  readonly wasm: string
  /** Parts of a machine that are loaded when code mentions them. */
  readonly parts: Readonly<Record<'encoding' | 'url' | 'crypto', string>>
}

/** Where the files of the sandbox are: beside these sources and in their packages, or beside the bundle. */
export function sandboxFiles(): SandboxFiles {
  const here = import.meta.url
  if (!here.endsWith('.ts')) {
    // A file of the bundle is in dist/ or in dist/chunks/.
    const dist = new URL(/\/chunks\/[^/]*$/.test(here) ? '../' : './', here)
    const asset = (name: string): string => decodeURIComponent(new URL(name, dist).pathname)
    return {
      worker: new URL('sandbox.js', dist),
      wasm: asset('quickjs.wasm'),
      parts: { encoding: asset('encoding.so'), url: asset('url.so'), crypto: asset('crypto.so') },
    }
  }
  const asset = (name: string): string => createRequire(here).resolve(`quickjs-wasi/${name}`)
  return {
    worker: new URL('./worker.mjs', here),
    wasm: asset('quickjs.wasm'),
    parts: { encoding: asset('encoding.so'), url: asset('url.so'), crypto: asset('crypto.so') },
  }
}
