// Writes files of resources. Comments and the order of keys that a user chose are preserved, and a text file that another file
// names is not changed.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Document } from 'yaml'
import { longTextFields } from '../../../contract/endpoint/long-texts.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { textFileField } from '../../program/input/text-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

type Yaml = typeof import('yaml')

/** Folder of the schemas in a project. `pull` writes them, and no command reads them. */
export const schemaFolder = '.schema'

/** What editors with a YAML language server look for in the first lines of a file. */
const schemaComment = '# yaml-language-server:'

/** A new file has a text of several lines, or of more characters than this, in a Markdown file. */
const maxInlineLength = 300

/**
 * Writes the file of a resource: YAML, and a Markdown file beside it for each long text that the YAML file names, as in
 * `system_prompt_file: front-desk.md`. An existing file keeps its comments, the order of its fields and the names of its
 * text files. A new one names the schema of its kind for editors. `file` is its path in the project.
 */
export async function writeResourceFile(
  folder: string,
  file: string,
  kind: ResourceFiles,
  content: ResourceRecord,
): Promise<void> {
  const path = join(folder, file)
  makeFolder(dirname(path))
  const isNew = !existsSync(path)
  const texts = isNew ? newTextFiles(path, kind, content) : await currentTextFiles(path, kind, content)
  // The text first: a file that names a missing one cannot be read.
  for (const [field, name] of texts)
    replaceFile(resolve(dirname(path), name), textFileOf(content[field]), { mode: 'keep' })
  const named = Object.fromEntries(
    Object.entries(content).map(([field, value]) => {
      const name = texts.get(field)
      return name === undefined ? [field, value] : [textFileField(field), name]
    }),
  )
  const text = await renderYaml(named, isNew ? undefined : path)
  replaceFile(path, isNew ? withSchemaLine(text, file) : text, { mode: 'keep' })
}

/**
 * Returns the text of a YAML file with the line that names the schema of its kind, for its path `<kind>/<name>.yaml` in
 * the project. A file that names a schema, or lies in no folder of a kind, is unchanged.
 */
export function withSchemaLine(text: string, file: string): string {
  const below = dirname(file)
  if (below === '.' || text.includes(schemaComment)) return text
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  return `${schemaComment} $schema=../${schemaFolder}/${below}.json${lineEnd}${text}`
}

/** Returns a text as a text file has it: with a line end, which is not part of the text. */
const textFileOf = (text: unknown): string => `${text}\n`

/** Returns whether a text file can have a value: one with a carriage return would be read as another text. */
const fitsTextFile = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\r')

/** Returns the text files of a new file, by field. */
function newTextFiles(path: string, { documentSchema }: ResourceFiles, content: ResourceRecord): Map<string, string> {
  const long = longTextFields(documentSchema).filter((field) => {
    const text = content[field]
    return fitsTextFile(text) && (text.length > maxInlineLength || text.includes('\n'))
  })
  return new Map(long.map((field) => [field, ownTextFile(path)]))
}

/** Returns the name of the text file of a resource file. Files of earlier versions have it: it never changes. */
const ownTextFile = (path: string): string => `${basename(path).replace(/\.ya?ml$/, '')}.md`

/**
 * Returns the text files of an existing file, by field. One that another file names too does not get another text: the
 * own one is used, or the text is in the YAML file.
 */
async function currentTextFiles(
  path: string,
  kind: ResourceFiles,
  content: ResourceRecord,
): Promise<Map<string, string>> {
  const named = [...(await textFilesOf(path, kind))].filter(([field]) => fitsTextFile(content[field]))
  const others = named.length > 0 ? await textFilesOfOthers(path, kind) : new Set()
  const isFree = (name: string, field: string): boolean => {
    const file = resolve(dirname(path), name)
    return !others.has(file) || (existsSync(file) && readFileSync(file, 'utf8') === textFileOf(content[field]))
  }
  return new Map(
    named.flatMap(([field, name]) => {
      const free = [name, ownTextFile(path)].find((it) => isFree(it, field))
      return free === undefined ? [] : [[field, free] as const]
    }),
  )
}

/** Returns the names of text files in a YAML file, by field. */
async function textFilesOf(path: string, { documentSchema }: ResourceFiles): Promise<Map<string, string>> {
  const fields = longTextFields(documentSchema)
  const document = fields.length > 0 ? readYamlDocument(await loadYaml(), path) : undefined
  return new Map(
    fields.flatMap((field) => {
      const name = document?.get(textFileField(field))
      return typeof name === 'string' ? [[field, name] as const] : []
    }),
  )
}

/** Returns the paths of the text files that the other files of the same folder name. */
async function textFilesOfOthers(path: string, kind: ResourceFiles): Promise<Set<string>> {
  const folder = dirname(path)
  const others = readdirSync(folder).filter((it) => /\.ya?ml$/.test(it) && it !== basename(path))
  const named = await Promise.all(others.map((it) => textFilesOf(join(folder, it), kind)))
  return new Set(named.flatMap((it) => [...it.values()].map((name) => resolve(folder, name))))
}

/** Returns the paths of all files of a resource: its YAML file, and the text files that it names. */
export async function filesOfResource(path: string, kind: ResourceFiles): Promise<readonly string[]> {
  const named = [...(await textFilesOf(path, kind)).values()].map((it) => resolve(dirname(path), it))
  return [path, ...named.filter((it) => existsSync(it))]
}

/** Removes the file of a resource, and its text file if that has its name and no other file names it. */
export async function removeResourceFile(path: string, kind: ResourceFiles): Promise<void> {
  const own = resolve(dirname(path), ownTextFile(path))
  const hasOwn = (await filesOfResource(path, kind)).includes(own) && !(await textFilesOfOthers(path, kind)).has(own)
  rmSync(path, { force: true })
  if (hasOwn) rmSync(own, { force: true })
}

/** Renders a file with the given content. If `file` exists, its comments and key order are preserved. */
async function renderYaml(content: Readonly<Record<string, unknown>>, file?: string): Promise<string> {
  const yaml = await loadYaml()
  const existing = file === undefined ? undefined : readYamlDocument(yaml, file)
  if (!existing) return yaml.stringify(content, { lineWidth: 0 })
  merge(yaml, existing, [], content)
  return existing.toString({ lineWidth: 0 })
}

function readYamlDocument(yaml: Yaml, file: string): Document | undefined {
  try {
    const document = yaml.parseDocument(readFileSync(file, 'utf8'))
    return document.errors.length === 0 && yaml.isMap(document.contents) ? document : undefined
  } catch {
    return undefined
  }
}

/** Changes only values that differ, so that all other comments are preserved. */
function merge(yaml: Yaml, document: Document, path: readonly (string | number)[], value: unknown): void {
  const node = document.getIn(path, true)
  if (isObject(value) && yaml.isMap(node)) {
    for (const key of Object.keys(node.toJS(document) as object))
      if (!Object.hasOwn(value, key)) document.deleteIn([...path, key])
    for (const [key, inner] of Object.entries(value)) merge(yaml, document, [...path, key], inner)
  } else if (Array.isArray(value) && yaml.isSeq(node)) {
    for (let n = node.items.length - 1; n >= value.length; n--) document.deleteIn([...path, n])
    for (const [n, inner] of value.entries()) merge(yaml, document, [...path, n], inner)
  } else {
    if (yaml.isScalar(node) && !isObject(value) && !Array.isArray(value)) {
      if (node.value === value) return
      // Changing the node in place preserves its comment.
      node.value = value
      delete node.source
      delete node.format
      delete node.minFractionDigits
      return
    }
    const before = yaml.isNode(node) ? node.toJS(document) : undefined
    if (before === undefined || stringifyJson(before) !== stringifyJson(value))
      document.setIn(path, document.createNode(value))
  }
}
