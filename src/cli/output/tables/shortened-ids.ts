import { leastIdLength } from '../form.ts'

/** Ids up to this length are not shortened. */
const maxWholeLength = 12

/**
 * Returns ids shortened to the first characters that tell them apart, with an ellipsis: `1ec0760d…`. Undefined if they
 * are short already.
 */
export function shortenedIds(ids: readonly string[]): readonly string[] | undefined {
  if (!ids.some((it) => it.length > maxWholeLength)) return undefined
  const distinct = new Set(ids).size
  let length = leastIdLength
  while (new Set(ids.map((it) => it.slice(0, length))).size < distinct) length++
  return ids.map((it) => (it.length > length + 1 ? `${it.slice(0, length)}…` : it))
}
