import type { Pair } from 'yaml'
import type { QuotedScalars } from '../../../contract/endpoint/coerce.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'

/** Returns the error message of the YAML parser, with the position and the quoted line, without empty lines. */
export const yamlErrorMessage = (error: unknown): string => (error as Error).message.replace(/\n\s*(?=\n|$)/g, '')

/** Value of a YAML text with every scalar as text, and which scalars were quoted. */
export interface ParsedYaml {
  readonly value: unknown
  readonly asText: QuotedScalars
}

/**
 * Reads YAML in which every scalar is text.
 *
 * @throws Error with message and position; also for `{name: }` and `{name}`, because a missing value between braces is
 * an error, as in JSON
 */
export async function readYaml(text: string): Promise<ParsedYaml> {
  const { LineCounter, isMap, parseDocument, visit } = await loadYaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines })
  const [error] = document.errors
  if (error) throw error
  visit(document, {
    Scalar(key, scalar) {
      if (key !== 'key' && typeof scalar.value === 'string' && scalar.type !== undefined && scalar.type !== 'PLAIN')
        scalar.value = new TextScalar(scalar.value)
    },
    Pair(_, pair, path) {
      const above = path.at(-1)
      if (!isMap(above) || above.flow !== true || !isEmpty(pair)) return
      const { line, col } = lines.linePos((pair.key as YamlNode).range?.[1] ?? 0)
      throw new Error(
        `"${(pair.key as YamlNode).value}" has no value at line ${line}, column ${col}. Use "" for an empty value or null for null.`,
      )
    },
  })
  const asText: QuotedScalars = new WeakMap()
  return { value: unwrapScalars(document.toJS({ maxAliasCount: 100 }), asText), asText }
}

/** Marks a quoted scalar until its parent object is known. */
class TextScalar {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Replaces quoted scalars with their text and records them; visits shared nodes once. */
function unwrapScalars(value: unknown, asText: QuotedScalars): unknown {
  if (value instanceof TextScalar) return value.text
  if (typeof value !== 'object' || value === null || asText.has(value)) return value
  const texts = new Set<string>()
  asText.set(value, texts)
  const holder = value as Record<string, unknown>
  for (const [key, child] of Object.entries(holder)) {
    if (child instanceof TextScalar) texts.add(key)
    Object.defineProperty(holder, key, {
      value: unwrapScalars(child, asText),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return value
}

interface YamlNode {
  readonly range?: readonly number[] | null
  readonly value?: unknown
  readonly source?: string
  readonly type?: string
}

function isEmpty({ value }: Pair): boolean {
  const { type, source, value: text } = (value ?? {}) as YamlNode
  return value === null || (type === 'PLAIN' && (source ?? text) === '')
}
