import { functionNames } from '../../../contract/assistants/function-names.ts'
import type { ModelFunction } from '../../../engine/ports.ts'

/** Words without meaning for matching. */
const stopWords = new Set(
  'a about after all already also an and any anything are as at be been before being but by can could do does for from get had has have he her here him his how i if in into is it its just know let like may me might my no not of on once one only or other our out over please she should so some somebody such tell than that the their them then there they thing this to too up use used using want was we were what when where whether which while who will with would yes you your'.split(
    ' ',
  ),
)

// Which function the local model calls for a message. Scenarios of users expect the same choice for the same message and functions.

/** Returns the stem that words of one family share. */
export const toStem = (word: string): string =>
  word.length > 4
    ? word
        .replace(/(?:ings?|ied|ies|ed|es|s|ment|ments)$/, '')
        .replace(/(.)\1$/, '$1')
        .replace(/[ey]$/, '')
    : word.replace(/s$/, '')

/** Returns the stems of the meaningful words of a text. */
export const toStems = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((it) => it.length > 2 && !stopWords.has(it))
      .map(toStem),
  )

/** Stems that many functions mention, so that one of them alone is not enough. */
const commonStems = toStems(
  'appointment assistant book call caller client conversation customer date day default desk guest hand help message name new number offer order other patient person phone question time transfer visit where work address ask check find give list make number price read search send show state update write',
)

/**
 * Scores how well a function's name and description match the text: it must contain the whole name or at least two of
 * the words, else 0.
 */
function score(askedStems: ReadonlySet<string>, { name, description }: ModelFunction): number {
  const nameStems = [...toStems(name.replaceAll('_', ' '))]
  const isNamed = nameStems.length > 0 && nameStems.every((it) => askedStems.has(it))
  const shared = [...toStems(`${name.replaceAll('_', ' ')} ${description}`)].filter((it) => askedStems.has(it)).length
  // Of functions that share equally many words, the one whose name has more of them is meant.
  const inName = nameStems.filter((it) => askedStems.has(it)).length / 100
  return (isNamed ? 10 : 0) + (isNamed || shared > 1 ? shared + inName : 0)
}

/**
 * Returns the function whose name and description match the text best; undefined when none does. The first of equals
 * wins.
 */
export function findBestFunction(text: string, functions: readonly ModelFunction[]): ModelFunction | undefined {
  const askedStems = toStems(text)
  let best: { candidate: ModelFunction; score: number } | undefined
  for (const candidate of functions) {
    const candidateScore = score(askedStems, candidate)
    if (candidateScore > (best?.score ?? 0)) best = { candidate, score: candidateScore }
  }
  return best?.candidate
}

/**
 * Returns the function that is the only one with a distinctive word of the text: in its name, or, for a transfer, in its
 * description, which says when to transfer. undefined when there is none, or several.
 */
export function findDistinctFunction(text: string, functions: readonly ModelFunction[]): ModelFunction | undefined {
  const asked = [...toStems(text)].filter((it) => !commonStems.has(it))
  const stemsOf = ({ name, description }: ModelFunction): ReadonlySet<string> =>
    toStems(`${name.replaceAll('_', ' ')} ${name.startsWith(functionNames.transfer) ? description : ''}`)
  const found = functions.filter((candidate) => {
    const stems = stemsOf(candidate)
    return asked.some((stem) => stems.has(stem))
  })
  return found.length === 1 ? found[0] : undefined
}

const questionPattern = /\?\s*$|^\W*(?:what|when|where|which|who|how|is|are|do|does|can|may)\b/i

/** Returns the search of the knowledge base for a question, if the assistant has one. */
export const findSearchFunction = (text: string, functions: readonly ModelFunction[]): ModelFunction | undefined =>
  questionPattern.test(text) ? functions.find(({ name }) => name === functionNames.search) : undefined
