import { Failure, failures } from '../contract/errors.ts'

const mark = /\{\{\s*(\d+)\s*\}\}/g

/** The numbers of the placeholders of a text, each once, in order. */
export const placeholdersOf = (text: string): number[] => [...new Set([...text.matchAll(mark)].map((it) => Number(it[1])))].sort((a, b) => a - b)

interface Filled {
  readonly body: string
  /** Values in the order of their placeholders. */
  readonly values: readonly string[]
}

/**
 * The text of a template with its placeholders filled from `given`, whose keys are their numbers or their names (section 4.12).
 * Every placeholder needs one value that is not empty, and every value a placeholder. @throws Failure `messaging.template_mismatch`
 */
export function fillTemplate(text: string, names: readonly string[], given: Readonly<Record<string, string>>): Filled {
  const numbers = placeholdersOf(text)
  const nameOf = (n: number): string | undefined => names[numbers.indexOf(n)]
  const keysOf = (n: number): string[] => [String(n), nameOf(n)].filter((key) => key !== undefined && Object.hasOwn(given, key)) as string[]
  const givenFor = (n: number): string => given[keysOf(n)[0] ?? ''] ?? ''

  const known = new Set(numbers.flatMap(keysOf))
  const missing = numbers.filter((n) => givenFor(n) === '')
  const twice = numbers.filter((n) => keysOf(n).length > 1)
  const unknown = Object.keys(given).filter((key) => !known.has(key))
  if (missing.length > 0 || twice.length > 0 || unknown.length > 0) {
    const shown = (n: number): string => `{{${n}}}${nameOf(n) === undefined ? '' : ` (${nameOf(n)})`}`
    const list = (what: string, items: readonly string[]): string => (items.length > 0 ? ` ${what}: ${items.join(', ')}.` : '')
    const all = numbers.length > 0 ? `${numbers.map(shown).join(', ')}.` : 'it has none.'
    const because = `${list('Missing', missing.map(shown))}${list('Given twice', twice.map(shown))}${list('Unknown', unknown)}`
    const words = failures['messaging.template_mismatch'].text.replace('{placeholders}', () => `${all}${because}`)
    throw new Failure('messaging.template_mismatch', { text: words })
  }
  return { body: text.replace(mark, (_, n: string) => givenFor(Number(n))), values: numbers.map(givenFor) }
}
