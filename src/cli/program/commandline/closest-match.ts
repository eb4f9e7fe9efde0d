/** Returns the edit distance of two words: insertions, deletions, replacements and swaps of neighbors. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}

/** Returns the candidate that the user most likely meant by `word`; undefined if none is close. */
export function closestMatch(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase()
  let best: string | undefined
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const candidate of candidates) {
    const known = candidate.toLowerCase()
    if (known.length > 2 && typed.length > 2 && (known.startsWith(typed) || typed.startsWith(known))) {
      if (least > 1) [best, least] = [candidate, 1]
      continue
    }
    const edits = editDistance(typed, known)
    if (edits < least) [best, least] = [candidate, edits]
  }
  return best
}

/** Maximum number of names that a suggestion lists. */
const maxSuggested = 5

/**
 * Returns the sentence that suggests names for an unknown one, with a space before it: all that contain it, if there are
 * at least two, otherwise the closest. Empty if none is close.
 */
export function suggestNames(given: string, names: readonly string[]): string {
  const typed = given.toLowerCase()
  const containing = [...new Set(names)].filter((it) => typed.length > 1 && it.toLowerCase().includes(typed))
  if (containing.length > 1) {
    const shown = containing.slice(0, maxSuggested).map((it) => `"${it}"`)
    const others = containing.length - shown.length
    return ` Did you mean one of ${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}?`
  }
  const closest = closestMatch(given, names)
  return closest === undefined ? '' : ` Did you mean "${closest}"?`
}
