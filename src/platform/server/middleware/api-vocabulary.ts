import { publicVocabulary } from '../../../contract/vocabulary/public-vocabulary.ts'
import { createResponseTranslator, type Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'

/** Returns the vocabulary of an API; undefined if it is the neutral one. */
export const resolveVocabulary = (given: 'public' | Vocabulary | undefined): Vocabulary | undefined =>
  given === 'public' ? publicVocabulary : given

/** Returns the translator of webhook payloads to the vocabulary of the API. */
export const payloadTranslator = (vocabulary: Vocabulary | undefined): ((payload: unknown) => unknown) =>
  vocabulary ? createResponseTranslator(vocabulary).outgoing : (payload) => payload
