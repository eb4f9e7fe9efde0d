import type { Vocabulary, WordMap } from './vocabulary.ts'

const toSpaces = (key: string): string => key.replaceAll('_', ' ')

/** The ways a refusal names a field: as it is sent, and in words. A name of one word only where it is sure to be one. */
function fieldNamePhrases([neutral, wire]: readonly [string, string]): [string, string][] {
  const frames = neutral.includes('_') && wire.includes('_') ? ['#'] : ['The # field', 'The selected # ']
  return frames.flatMap((frame): [string, string][] => [
    [frame.replace('#', () => neutral), frame.replace('#', () => wire)],
    [frame.replace('#', () => toSpaces(neutral)), frame.replace('#', () => toSpaces(wire))],
  ])
}

/** Every phrase of a refusal that names one of the words, neutral and as the deployment says it. */
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

/** Translates what the texts of a refusal name: `back` to the neutral words, else from them. What a phrase stands in is left as it is. */
export function createPhraseTranslator(vocabulary: Vocabulary, isInverse: boolean): (text: string) => string {
  const pairs = Object.entries(vocabularyPhrases(vocabulary)).map(
    ([neutral, wire]) => (isInverse ? [wire, neutral] : [neutral, wire]) as [string, string],
  )
  if (pairs.length === 0) return (text) => text
  // On the deployment's side the words change places, as its fields do.
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

/** A whole word followed by more of one is another word; a beginning always is. */
const endsInsideWord = (text: string, phrase: string, at: number): boolean =>
  /\w$/.test(phrase) && !phrase.endsWith('_') && /\w/.test(text[at + phrase.length] ?? '')

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/@-]/g, '\\$&')
