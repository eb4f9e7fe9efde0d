import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Vocabulary } from '../contract/vocabulary.ts'
import type { World } from '../world.ts'
import { usage } from './usage.ts'

/** What `--vocabulary` takes, for people. */
export const vocabularyHelp = 'How the deployment spells things: "public", "neutral", or a file (parley help vocabulary)'

/** A vocabulary as a flag or a profile names it: undefined for the neutral words, `public`, or the whole path of a file. */
export const namedVocabulary = (world: Pick<World, 'cwd'>, given: string): string | undefined =>
  given === 'neutral' ? undefined : given === 'public' ? given : resolve(world.cwd, given)

/** Reads a vocabulary by its name. @throws ClientFailure `usage` for a file that is none */
export async function readVocabulary(name: string): Promise<Vocabulary> {
  if (name === 'public') return (await import('../contract/public-vocabulary.ts')).publicVocabulary
  const given = await readDocument(name, 'vocabulary')
  const unknown = Object.keys(given).filter((it) => !(it in shapes) && it !== 'extends')
  if (unknown.length > 0) throw malformed(name, `it does not know "${unknown[0]}"`)
  const base = given.extends === undefined || given.extends === 'neutral' ? undefined : given.extends === 'public' ? await readVocabulary('public') : null
  if (base === null) throw malformed(name, '"extends" can be public or neutral')
  for (const [part, isShaped] of Object.entries(shapes))
    if (given[part] !== undefined && !isShaped(given[part])) throw malformed(name, `"${part}" is not written as it should be`)
  return combined(base, given as Partial<Vocabulary>)
}

/** The same, and refused where it would lose something on the way there and back. Loads the whole contract. */
export async function checkedVocabulary(name: string): Promise<Vocabulary> {
  const vocabulary = await readVocabulary(name)
  const { lossesOf } = await import('../contract/words.ts')
  const losses = lossesOf(vocabulary)
  if (losses.length > 0)
    throw usage(`The vocabulary ${name} would lose something. ${losses.join(' ')}`, 'Give each word a spelling of its own: parley help vocabulary.')
  return vocabulary
}

/** A JSON or YAML file with an object in it. */
export async function readDocument(file: string, what: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`The ${what} ${file} could not be read: ${(error as Error).message}.`)
  }
  let value: unknown
  try {
    value = text.trimStart().startsWith('{') ? JSON.parse(text) : (await import('yaml')).parse(text)
  } catch (error) {
    throw usage(`The ${what} ${file} is neither JSON nor YAML: ${(error as Error).message}`)
  }
  if (!isTable(value)) throw malformed(file, 'it holds no object', what)
  return value
}

const isTable = (it: unknown): it is Record<string, unknown> => typeof it === 'object' && it !== null && !Array.isArray(it)
const isWords = (it: unknown): boolean =>
  isTable(it) && Object.entries(it).every(([neutral, wire]) => neutral !== '' && typeof wire === 'string' && wire !== '')
const isTables = (it: unknown): boolean => isTable(it) && Object.values(it).every(isWords)
const isPlaces = (it: unknown): boolean =>
  isTable(it) && Object.values(it).every((places) => Number.isInteger(places) && Number(places) >= 0 && Number(places) <= 20)

const shapes: Readonly<Record<keyof Vocabulary, (it: unknown) => boolean>> = {
  paths: isWords,
  keys: isWords,
  values: isTables,
  prefixes: isTables,
  decimals: isPlaces,
  bits: (it) => Array.isArray(it) && it.every((key) => typeof key === 'string'),
  wrapped: isWords,
}

function combined(base: Partial<Vocabulary> = {}, own: Partial<Vocabulary>): Vocabulary {
  const tables = (name: 'values' | 'prefixes'): Vocabulary['values'] => {
    const keys = new Set([...Object.keys(base[name] ?? {}), ...Object.keys(own[name] ?? {})])
    return Object.fromEntries([...keys].map((key) => [key, { ...base[name]?.[key], ...own[name]?.[key] }]))
  }
  return {
    paths: { ...base.paths, ...own.paths },
    keys: { ...base.keys, ...own.keys },
    values: tables('values'),
    prefixes: tables('prefixes'),
    decimals: { ...base.decimals, ...own.decimals },
    bits: [...new Set([...(base.bits ?? []), ...(own.bits ?? [])])],
    wrapped: { ...base.wrapped, ...own.wrapped },
  }
}

const malformed = (file: string, why: string, what = 'vocabulary'): Error =>
  usage(`The ${what} ${file} cannot be used: ${why}.`, what === 'vocabulary' ? 'What it may hold: parley help vocabulary.' : 'See: parley help vocabulary.')
