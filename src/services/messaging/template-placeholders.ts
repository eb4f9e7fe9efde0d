import { Failure, failures } from '../../contract/errors/failures.ts'

const placeholderPattern = /\{\{\s*(\d+)\s*\}\}/g

/** Returns the numbers of the placeholders of a text, each once, in order. */
export const listPlaceholders = (text: string): number[] =>
  [...new Set([...text.matchAll(placeholderPattern)].map((it) => Number(it[1])))].sort((a, b) => a - b)

interface FilledTemplate {
  readonly body: string
  /** Values in the order of their placeholders. */
  readonly values: readonly string[]
}

/**
 * Fills the placeholders of a template from `given`, whose keys are placeholder numbers or names (section 4.12). Each
 * placeholder needs exactly one value that is not empty, and each value a placeholder. @throws Failure
 * `messaging.template_mismatch`
 */
export function fillTemplate(
  text: string,
  names: readonly string[],
  given: Readonly<Record<string, string>>,
): FilledTemplate {
  const numbers = listPlaceholders(text)
  const placeholderName = (n: number): string | undefined => names[numbers.indexOf(n)]
  const givenKeys = (n: number): string[] =>
    [String(n), placeholderName(n)].filter((key) => key !== undefined && Object.hasOwn(given, key)) as string[]
  const givenValue = (n: number): string => given[givenKeys(n)[0] ?? ''] ?? ''

  const known = new Set(numbers.flatMap(givenKeys))
  const missing = numbers.filter((n) => givenValue(n) === '')
  const duplicates = numbers.filter((n) => givenKeys(n).length > 1)
  const unknown = Object.keys(given).filter((key) => !known.has(key))
  if (missing.length > 0 || duplicates.length > 0 || unknown.length > 0) {
    const describe = (n: number): string =>
      `{{${n}}}${placeholderName(n) === undefined ? '' : ` (${placeholderName(n)})`}`
    const list = (what: string, items: readonly string[]): string =>
      items.length > 0 ? ` ${what}: ${items.join(', ')}.` : ''
    const all = numbers.length > 0 ? `${numbers.map(describe).join(', ')}.` : 'it has none.'
    const problems = `${list('Missing', missing.map(describe))}${list('Given twice', duplicates.map(describe))}${list('Unknown', unknown)}`
    const message = failures['messaging.template_mismatch'].text.replace('{placeholders}', () => `${all}${problems}`)
    throw new Failure('messaging.template_mismatch', { text: message })
  }
  return {
    body: text.replace(placeholderPattern, (_, n: string) => givenValue(Number(n))),
    values: numbers.map(givenValue),
  }
}
