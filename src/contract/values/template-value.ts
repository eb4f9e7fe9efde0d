/**
 * Returns what a messaging channel does not accept in a value of a template, as the end of a sentence; undefined for a
 * value that it accepts.
 */
export function templateValueProblem(value: string): string | undefined {
  if (/[\r\n\v\f\u0085\u2028\u2029]/.test(value)) return 'a line break'
  if (value.includes('\t')) return 'a tab'
  return / {5}/.test(value) ? 'more than four spaces in a row' : undefined
}
