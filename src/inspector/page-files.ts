import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A file of the page. */
export interface PageFile {
  /** The content, compressed with gzip. */
  readonly bytes: Buffer
  readonly type: string
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  png: 'image/png',
}

/** Returns the folder of the page that the build writes. */
export function pageFolder(): string {
  const here = import.meta.url
  const dist = here.endsWith('.ts') ? '../../dist/' : /\/chunks\/[^/]*$/.test(here) ? '../' : './'
  return fileURLToPath(new URL(`${dist}inspector/`, here))
}

/** Returns a file of the page by its name; undefined for an unknown one. Names have no path. */
export async function readPageFile(folder: string, name: string): Promise<PageFile | undefined> {
  const type = types[/^[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name)?.[1] ?? '']
  if (type === undefined) return undefined
  try {
    return { bytes: await readFile(`${folder}/${name}.gz`), type }
  } catch {
    return undefined
  }
}
