import type { Vocabulary, Words } from './vocabulary.ts'

const spaced = (key: string): string => key.replaceAll('_', ' ')

/** The ways a refusal names a field: as it is sent, and in words. A name of one word only where it is sure to be one. */
function namesOf([neutral, wire]: readonly [string, string]): [string, string][] {
  const frames = neutral.includes('_') && wire.includes('_') ? ['#'] : ['The # field', 'The selected # ']
  return frames.flatMap((frame): [string, string][] => [
    [frame.replace('#', () => neutral), frame.replace('#', () => wire)],
    [frame.replace('#', () => spaced(neutral)), frame.replace('#', () => spaced(wire))],
  ])
}

/** Every phrase of a refusal that names one of the words, neutral and as the deployment says it. */
function phrasesOf({ keys, values, prefixes }: Vocabulary): Words {
  const named = Object.entries(keys).flatMap(namesOf)
  const valued = Object.entries(values).flatMap(([key, words]) => {
    const wireKey = Object.hasOwn(keys, key) ? (keys[key] as string) : key
    return Object.entries(words).map(([neutral, wire]) => [`${spaced(key)} is ${neutral}`, `${spaced(wireKey)} is ${wire}`])
  })
  const begun = Object.entries(prefixes).flatMap(([key, words]) =>
    Object.entries(words).flatMap(([neutral, wire]) => [[neutral, wire], ...(key === '*' ? [[spaced(neutral), spaced(wire)]] : [])]),
  )
  return Object.fromEntries([...begun, ...valued, ...named])
}

/** Translates what the texts of a refusal name: `back` to the neutral words, else from them. What a phrase stands in is left as it is. */
export function createPhrases(vocabulary: Vocabulary, back: boolean): (text: string) => string {
  const pairs = Object.entries(phrasesOf(vocabulary)).map(([neutral, wire]) => (back ? [wire, neutral] : [neutral, wire]) as [string, string])
  if (pairs.length === 0) return (text) => text
  // On the deployment's side the words change places, as its fields do.
  const table = new Map(back ? pairs : [...pairs.map(([neutral, wire]): [string, string] => [wire, neutral]), ...pairs])
  const phrases = [...table.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![\\w])(${phrases.map(literally).join('|')})`, 'g')
  return (text) => text.replace(pattern, (phrase, _, at: number) => (endsInside(text, phrase, at) ? phrase : (table.get(phrase) ?? phrase)))
}

/** A whole word followed by more of one is another word; a beginning always is. */
const endsInside = (text: string, phrase: string, at: number): boolean =>
  /\w$/.test(phrase) && !phrase.endsWith('_') && /\w/.test(text[at + phrase.length] ?? '')

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/@-]/g, '\\$&')
