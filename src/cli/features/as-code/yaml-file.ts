import { readFileSync } from 'node:fs'
import type { Document } from 'yaml'
import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'

type Yaml = typeof import('yaml')

/** Renders a file with the given content. If `file` exists, its comments and key order are preserved. */
export async function renderYamlFile(content: Readonly<Record<string, unknown>>, file?: string): Promise<string> {
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
