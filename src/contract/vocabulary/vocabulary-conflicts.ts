import type * as z from 'zod'
import { allowedValues, schemaDefinition, unwrap } from '../endpoint/coerce.ts'
import { endpoints } from '../resources/index.ts'
import type { Vocabulary, WordMap } from './vocabulary.ts'
import { freeFormKeys, toBijection } from './vocabulary.ts'

/** Words of the contract that a deployment may spell differently. */
interface ContractWords {
  readonly paths: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  /** Enumerated values by their key. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>
}

/** Collects the words of all endpoints. Loads the whole contract. */
export function collectContractWords(): ContractWords {
  const paths = new Set<string>()
  const keys = new Set<string>()
  const values = new Map<string, Set<string>>()
  const seen = new Set<z.ZodType>()

  function visit(schema: z.ZodType, at: string): void {
    const { base } = unwrap(schema)
    for (const value of allowedValues(base) ?? [])
      if (typeof value === 'string') values.set(at, (values.get(at) ?? new Set()).add(value))
    if (seen.has(base)) return
    seen.add(base)
    const def = schemaDefinition(base)
    for (const [name, field] of Object.entries(def.shape ?? {})) {
      keys.add(name)
      if (!freeFormKeys.has(name)) visit(field, name)
    }
    if (def.element) visit(def.element, at)
    for (const option of def.options ?? []) visit(option, at)
  }

  for (const { path, params, query, body, output } of endpoints) {
    for (const segment of path.split('/')) if (segment !== '' && !segment.startsWith('{')) paths.add(segment)
    for (const schema of [params, query, body, output]) if (schema) visit(schema, '')
  }
  return { paths, keys, values }
}

/**
 * Returns the reasons why a vocabulary would lose information in a round trip, as sentences; empty if it is safe.
 * Two words must not map to the same word, and no word may map to another word of the contract that keeps its meaning.
 * vocabulary-file.ts refuses the file of a user with these sentences, so a new word of the contract can make a used file invalid.
 */
export function findVocabularyConflicts(vocabulary: Vocabulary): readonly string[] {
  const known = collectContractWords()
  const table = (words: WordMap, where: string, taken: ReadonlySet<string> = new Set()): string[] => {
    const wires = Object.values(words)
    const twice = wires.filter((it, n) => wires.indexOf(it) !== n).map((it) => `In ${where}, two words map to "${it}".`)
    const collides = Object.entries(words).filter(
      ([neutral, wire]) =>
        neutral !== wire && taken.has(wire) && toBijection(words)[wire] === neutral && !Object.hasOwn(words, wire),
    )
    return [
      ...twice,
      ...collides.map(
        ([neutral, wire]) => `In ${where}, "${neutral}" maps to "${wire}", which is already another word.`,
      ),
    ]
  }
  const begins = (prefixes: WordMap, where: string, taken: ReadonlySet<string>): string[] => [
    ...table(prefixes, where),
    ...Object.entries(prefixes).flatMap(([neutral, wire]) =>
      [...taken]
        .filter((it) => it.startsWith(wire) && !it.startsWith(neutral))
        .map((it) => `In ${where}, "${neutral}" maps to "${wire}", which is already a prefix of "${it}".`),
    ),
  ]
  return [
    ...table(vocabulary.paths, 'paths', known.paths),
    ...table(vocabulary.keys, 'keys', known.keys),
    ...Object.entries(vocabulary.values).flatMap(([key, words]) =>
      table(words, `values of ${key}`, known.values.get(key)),
    ),
    ...Object.entries(vocabulary.prefixes).flatMap(([key, words]) =>
      begins(words, `prefixes of ${key}`, key === '*' ? known.keys : (known.values.get(key) ?? new Set())),
    ),
  ]
}
