/**
 * Returns the URL of a file in dist/, for a module of the bundle, which is in dist/ or in dist/chunks/. Undefined for a
 * source. `module` is its `import.meta.url`.
 */
export const bundleFile = (module: string, name: string): URL | undefined =>
  module.endsWith('.ts') ? undefined : new URL(`${/\/chunks\/[^/]*$/.test(module) ? '../' : './'}${name}`, module)

/** Returns the content of a file of the bundle, which has large files compressed with Brotli under the suffix `.br`. */
export async function decompress(file: string, content: Uint8Array): Promise<Uint8Array> {
  return file.endsWith('.br') ? (await import('node:zlib')).brotliDecompressSync(content) : content
}
