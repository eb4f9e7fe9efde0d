import type { Vocabulary } from '../../contract/vocabulary/vocabulary.ts'

/** Returns the vocabulary of an API; undefined if it is the neutral one. */
export async function resolveVocabulary(given: 'public' | Vocabulary | undefined): Promise<Vocabulary | undefined> {
  return given === 'public' ? (await import('../../contract/vocabulary/public-vocabulary.ts')).publicVocabulary : given
}

/** Returns the translator of webhook payloads to the vocabulary of the API. */
export async function payloadTranslator(vocabulary: Vocabulary | undefined): Promise<(payload: unknown) => unknown> {
  return vocabulary
    ? (await import('../../contract/vocabulary/vocabulary.ts')).createResponseTranslator(vocabulary).outgoing
    : (payload) => payload
}
