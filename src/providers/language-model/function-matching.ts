import type { ModelFunction } from '../ports/providers.ts'

/** Words that tell nothing of what somebody wants. */
const stopWords = new Set(
  'a about after all already also an and any anything are as at be been before being but by can could do does for from get had has have he her here him his how i if in into is it its just know let like may me might my no not of on once one only or other our out over please she should so some somebody such tell than that the their them then there they thing this to too up use used using want was we were what when where whether which while who will with would yes you your'.split(
    ' ',
  ),
)

/** The beginning words of one family share. */
export const toStem = (word: string): string =>
  word.length > 4
    ? word
        .replace(/(?:ings?|ied|ies|ed|es|s|ment|ments)$/, '')
        .replace(/(.)\1$/, '$1')
        .replace(/[ey]$/, '')
    : word.replace(/s$/, '')

/** The stems of the words that tell something. */
export const toStems = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((it) => it.length > 2 && !stopWords.has(it))
      .map(toStem),
  )

/** How much of a function's name and description stands in what was asked: its whole name, or two words at least, else 0. */
function score(askedStems: ReadonlySet<string>, { name, description }: ModelFunction): number {
  const nameStems = [...toStems(name.replaceAll('_', ' '))]
  const isNamed = nameStems.length > 0 && nameStems.every((it) => askedStems.has(it))
  const shared = [...toStems(`${name.replaceAll('_', ' ')} ${description}`)].filter((it) => askedStems.has(it)).length
  return (isNamed ? 10 : 0) + (isNamed || shared > 1 ? shared : 0)
}

/** The function whose name and description fit best to what was asked; undefined when none does. The first wins where two fit alike. */
export function findBestFunction(text: string, functions: readonly ModelFunction[]): ModelFunction | undefined {
  const askedStems = toStems(text)
  let best: { it: ModelFunction; score: number } | undefined
  for (const it of functions) {
    const candidateScore = score(askedStems, it)
    if (candidateScore > (best?.score ?? 0)) best = { it, score: candidateScore }
  }
  return best?.it
}
