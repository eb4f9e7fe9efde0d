import type { Vocabulary, WordMap } from './vocabulary.ts'

const toSpaces = (key: string): string => key.replaceAll('_', ' ')

/** Returns phrases in which an error message names a field. One-word names need a phrase that is certainly a field. */
function fieldNamePhrases([neutral, wire]: readonly [string, string]): [string, string][] {
  const frames = neutral.includes('_') && wire.includes('_') ? ['#'] : ['The # field', 'The selected # ']
  return frames.flatMap((frame): [string, string][] => [
    [frame.replace('#', () => neutral), frame.replace('#', () => wire)],
    [frame.replace('#', () => toSpaces(neutral)), frame.replace('#', () => toSpaces(wire))],
  ])
}

/** Returns every phrase in error messages that names a vocabulary word: the deployment's phrase by the neutral one. */
function vocabularyPhrases({ keys, values, prefixes }: Vocabulary): WordMap {
  const named = Object.entries(keys).flatMap(fieldNamePhrases)
  const valued = Object.entries(values).flatMap(([key, words]) => {
    const wireKey = Object.hasOwn(keys, key) ? (keys[key] as string) : key
    return Object.entries(words).map(([neutral, wire]) => [
      `${toSpaces(key)} is ${neutral}`,
      `${toSpaces(wireKey)} is ${wire}`,
    ])
  })
  const prefixed = Object.entries(prefixes).flatMap(([key, words]) =>
    Object.entries(words).flatMap(([neutral, wire]) => [
      [neutral, wire],
      ...(key === '*' ? [[toSpaces(neutral), toSpaces(wire)]] : []),
    ]),
  )
  return Object.fromEntries([...prefixed, ...valued, ...named])
}

/**
 * Returns a function that translates the names in error messages: from neutral words, or with `isInverse` to neutral
 * words. The rest of the text stays unchanged.
 */
export function createPhraseTranslator(vocabulary: Vocabulary, isInverse: boolean): (text: string) => string {
  const pairs = Object.entries(vocabularyPhrases(vocabulary)).map(
    ([neutral, wire]) => (isInverse ? [wire, neutral] : [neutral, wire]) as [string, string],
  )
  if (pairs.length === 0) return (text) => text
  // Toward the deployment, words are swapped in both directions, like the field names.
  const table = new Map(
    isInverse ? pairs : [...pairs.map(([neutral, wire]): [string, string] => [wire, neutral]), ...pairs],
  )
  const phrases = [...table.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![\\w])(${phrases.map(escapeRegExp).join('|')})`, 'g')
  return (text) =>
    text.replace(pattern, (phrase, _, at: number) =>
      endsInsideWord(text, phrase, at) ? phrase : (table.get(phrase) ?? phrase),
    )
}

/** Returns whether a matched phrase ends inside a longer word, which is a different word. Prefixes may end there. */
const endsInsideWord = (text: string, phrase: string, at: number): boolean =>
  /\w$/.test(phrase) && !phrase.endsWith('_') && /\w/.test(text[at + phrase.length] ?? '')

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/@-]/g, '\\$&')
