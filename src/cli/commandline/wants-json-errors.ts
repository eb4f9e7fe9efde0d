/** Whether failures are to be JSON, read off words that no parser has seen: the line may be wrong in any way. */
export function wantsJsonErrors(words: readonly string[], env: Readonly<Record<string, string | undefined>>): boolean {
  if (words.includes('--json')) return true
  const at = words.findIndex((it) => it === '-o' || it === '--output')
  const attached = words.find((it) => /^(--output=|-o.)/.test(it))?.replace(/^(--output=|-o)/, '')
  return /^(json|ndjson|yaml)$/.test((at >= 0 ? words[at + 1] : attached) ?? env.PARLEY_OUTPUT ?? '')
}
