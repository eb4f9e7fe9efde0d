/** Returns whether errors are printed as JSON. It reads unparsed words, because the command line may be invalid. */
export function wantsJsonErrors(words: readonly string[], env: Readonly<Record<string, string | undefined>>): boolean {
  if (words.includes('--json')) return true
  const at = words.findIndex((it) => it === '-o' || it === '--output')
  const attached = words.find((it) => /^(--output=|-o.)/.test(it))?.replace(/^(--output=|-o)/, '')
  return /^(json|ndjson|yaml)$/.test((at >= 0 ? words[at + 1] : attached) ?? env.PARLEY_OUTPUT ?? '')
}
