/**
 * Returns a word in the form in which spellings are compared: lower case, and `_` for each run of `_`, `-`, `.` and spaces.
 * It also decides which texts are equal for `--filter`, so scripts rely on it.
 */
export const comparable = (word: string): string => word.toLowerCase().replaceAll(/[\s._-]+/g, '_')

/**
 * Returns the word that a text is another spelling of: `in_progress` for "In progress". An exact match comes first;
 * undefined if none matches, or several do.
 */
export function spelledAs(text: string, words: readonly string[]): string | undefined {
  if (words.includes(text)) return text
  const found = new Set(words.filter((it) => comparable(it) === comparable(text.trim())))
  return found.size === 1 ? [...found][0] : undefined
}
