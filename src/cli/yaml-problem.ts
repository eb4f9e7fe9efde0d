import type { Pair } from 'yaml'
import type { WrittenAsText } from '../contract/coerce.ts'

/** What is wrong with a YAML text, and where: the parser's own words, whose last line is empty. */
export const yamlProblem = (error: unknown): string => (error as Error).message.trimEnd()

/** What a YAML text holds, every scalar as text, and which of them were written as text. */
export interface Read {
  readonly value: unknown
  readonly asText: WrittenAsText
}

/**
 * Reads YAML in which every scalar is text.
 * @throws Error that says what is wrong and where; also for `{name: }` and `{name}`: between braces, a value that is left out is a slip, as it is in JSON
 */
export async function readYaml(text: string): Promise<Read> {
  const { LineCounter, isMap, parseDocument, visit } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines })
  const [error] = document.errors
  if (error) throw error
  visit(document, {
    Scalar(key, it) {
      if (key !== 'key' && typeof it.value === 'string' && it.type !== undefined && it.type !== 'PLAIN') it.value = new Written(it.value)
    },
    Pair(_, it, path) {
      const above = path.at(-1)
      if (!isMap(above) || above.flow !== true || !isEmpty(it)) return
      const { line, col } = lines.linePos((it.key as Placed).range?.[1] ?? 0)
      throw new Error(`"${(it.key as Placed).value}" has no value at line ${line}, column ${col}. Nothing at all is written "", and null is written null.`)
    },
  })
  const asText: WrittenAsText = new WeakMap()
  return { value: plain(document.toJS({ maxAliasCount: 100 }), asText), asText }
}

/** A scalar that was written as text, until it is known what holds it. */
class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The tree with text for what was written as text, and a note of it; what is held twice is gone through once. */
function plain(value: unknown, asText: WrittenAsText): unknown {
  if (value instanceof Written) return value.text
  if (typeof value !== 'object' || value === null || asText.has(value)) return value
  const texts = new Set<string>()
  asText.set(value, texts)
  const holder = value as Record<string, unknown>
  for (const [key, it] of Object.entries(holder)) {
    if (it instanceof Written) texts.add(key)
    Object.defineProperty(holder, key, { value: plain(it, asText), enumerable: true, writable: true, configurable: true })
  }
  return value
}

interface Placed {
  readonly range?: readonly number[] | null
  readonly value?: unknown
  readonly source?: string
  readonly type?: string
}

function isEmpty({ value }: Pair): boolean {
  const { type, source, value: text } = (value ?? {}) as Placed
  return value === null || (type === 'PLAIN' && (source ?? text) === '')
}
