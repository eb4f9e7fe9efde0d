// Creates the types of the public entry, for users who do not have the development dependencies.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isolatedDeclarationSync } from 'rolldown/experimental'

/** Sources with public types, by path without extension, and the names of their declarations in dist/. */
const PUBLISHED = { 'generated/client-types': 'client-types', 'typed-client': 'client', '../platform': 'platform' }

/**
 * Returns the declaration text of one source file. Throws if it needs another file of the project or a package:
 * the public types must be self-contained, so that users can compile against them.
 */
export function declarations(file) {
  const source = readFileSync(file, 'utf8')
  const { code, errors } = isolatedDeclarationSync(file, source, { stripInternal: true })
  if (errors.length)
    throw new Error(
      `${basename(file)}: the public entry must spell out its types: ${errors.map((it) => it.message).join('; ')}`,
    )
  const published = code
    .replaceAll(/^import\s*["'][^"']+["'];?\n/gm, '')
    .replaceAll(/(from\s*["'])(?:\.\/)?((?:\.\.\/)?[\w/-]+)\.ts(["'])/g, (text, before, file, after) =>
      Object.hasOwn(PUBLISHED, file) ? `${before}./${PUBLISHED[file]}.js${after}` : text,
    )
  const foreign = [...published.matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)]
    .map((it) => it[1])
    .filter((it) => !it.startsWith('node:') && !Object.values(PUBLISHED).some((own) => it === `./${own}.js`))
  if (foreign.length)
    throw new Error(
      `${basename(file)}: public types may not come from ${foreign.join(', ')}; declare them in the file itself`,
    )
  return published
}
