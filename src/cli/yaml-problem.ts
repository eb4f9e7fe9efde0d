import type { Pair } from 'yaml'

/** What is wrong with a YAML text, and where: the parser's own words, whose last line is empty. */
export const yamlProblem = (error: unknown): string => (error as Error).message.trimEnd()

/**
 * Reads YAML in which every scalar is text.
 * @throws Error that says what is wrong and where; also for `{name: }` and `{name}`: between braces, a value that is left out is a slip, as it is in JSON
 */
export async function readYaml(text: string): Promise<unknown> {
  const { LineCounter, isMap, parseDocument, visit } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines })
  const [error] = document.errors
  if (error) throw error
  visit(document, {
    Pair(_, it, path) {
      const above = path.at(-1)
      if (!isMap(above) || above.flow !== true || !isEmpty(it)) return
      const { line, col } = lines.linePos((it.key as Placed).range?.[1] ?? 0)
      throw new Error(`"${(it.key as Placed).value}" has no value at line ${line}, column ${col}. Nothing at all is written "", and null is written null.`)
    },
  })
  return document.toJS({ maxAliasCount: 100 })
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
