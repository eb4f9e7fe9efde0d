/** Returns the numbers of the placeholders of the text of a template, such as `{{1}}`, each once, in order. */
export const listPlaceholders = (text: string): number[] =>
  [...new Set([...text.matchAll(placeholderPattern)].map((it) => Number(it[1])))].sort((a, b) => a - b)

/** A placeholder of the text of a template. Senders and the platform fill the same. */
export const placeholderPattern = /\{\{\s*(\d+)\s*\}\}/g

/**
 * Returns what a messaging channel does not accept in a value of a template, as the end of a sentence; undefined for a
 * value that it accepts. Only commands check it, before they send.
 */
export function templateValueProblem(value: string): string | undefined {
  if (/[\r\n\v\f\u0085\u2028\u2029]/.test(value)) return 'a line break'
  if (value.includes('\t')) return 'a tab'
  return / {5}/.test(value) ? 'more than four spaces in a row' : undefined
}
