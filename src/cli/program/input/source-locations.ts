import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Document, LineCounter, Node, Pair } from 'yaml'
import { decodeText } from '../../../node/decode-text.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import type { System } from '../system.ts'

/**
 * Finds fields in a JSON or YAML file: returns `file:line` of the innermost existing part of a dotted path; undefined
 * if the file does not have it.
 */
export async function sourceLocations(
  system: Pick<System, 'cwd'>,
  file: string,
): Promise<(path: string) => string | undefined> {
  let text: string
  try {
    text = decodeText(readFileSync(resolve(system.cwd, file)))
  } catch {
    return () => undefined
  }
  return textLocations(text, file)
}

/** Finds fields in the text of a JSON or YAML file, as `sourceLocations` does. `file` is its name in the results. */
export async function textLocations(text: string, file: string): Promise<(path: string) => string | undefined> {
  const yaml = await loadYaml()
  const lines = new yaml.LineCounter()
  let document: Document
  try {
    document = yaml.parseDocument(text, { schema: 'failsafe', lineCounter: lines })
  } catch {
    return () => undefined
  }
  return (path) => {
    const at = offsetOf(yaml, document.contents as Node | null, path.split('.'))
    return at === undefined ? undefined : `${file}:${(lines as LineCounter).linePos(at).line}`
  }
}

function offsetOf(yaml: typeof import('yaml'), root: Node | null, keys: readonly string[]): number | undefined {
  let node: unknown = root
  let found: number | undefined
  for (const key of keys) {
    if (yaml.isMap(node)) {
      const pair = (node.items as Pair<Node, Node>[]).find(
        (it) => String((it.key as { value?: unknown }).value) === key,
      )
      if (!pair) return found
      found = pair.key.range?.[0] ?? found
      node = pair.value
    } else if (yaml.isSeq(node)) {
      const item = node.items[Number(key)] as Node | undefined
      if (!item) return found
      found = item.range?.[0] ?? found
      node = item
    } else return found
  }
  return found
}
