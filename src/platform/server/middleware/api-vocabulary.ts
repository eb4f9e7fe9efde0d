import { publicVocabulary } from '../../../contract/vocabulary/public-vocabulary.ts'
import { createResponseTranslator, type Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'

/** Returns the vocabulary of an API; undefined if it is the neutral one. */
export async function resolveVocabulary(given: 'public' | Vocabulary | undefined): Promise<Vocabulary | undefined> {
  return given === 'public' ? publicVocabulary : given
}

/** Returns the translator of webhook payloads to the vocabulary of the API. */
export async function payloadTranslator(vocabulary: Vocabulary | undefined): Promise<(payload: unknown) => unknown> {
  return vocabulary ? createResponseTranslator(vocabulary).outgoing : (payload) => payload
}
