import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { bundleFile } from '../../node/bundle-file.ts'

export interface SandboxFiles {
  /** Entry file of a thread. */
  readonly worker: URL
  /** WebAssembly module; compressed if its name ends with .br. */
  readonly wasm: string
  /** WebAssembly parts that are loaded when code mentions them. */
  readonly parts: Readonly<Record<'encoding' | 'url' | 'crypto', string>>
}

/** Returns the locations of the sandbox files: next to the sources and in their packages, or next to the bundle. */
export function sandboxFiles(): SandboxFiles {
  const here = import.meta.url
  const asset = (name: string): string => {
    const bundled = bundleFile(here, `${name}.br`)
    return bundled ? fileURLToPath(bundled) : createRequire(here).resolve(`quickjs-wasi/${name}`)
  }
  return {
    worker: bundleFile(here, 'sandbox.js') ?? new URL('./worker.mjs', here),
    wasm: asset('quickjs.wasm'),
    parts: { encoding: asset('encoding.so'), url: asset('url.so'), crypto: asset('crypto.so') },
  }
}
