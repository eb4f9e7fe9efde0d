import type { LanguageCode } from './languages.ts'

/** A provider of speech output (synthesizer) or speech input (transcriber). */
export interface SpeechProvider {
  readonly id: number
  readonly name: string
  readonly code: string
  /** Languages the provider supports. */
  readonly supportedLanguages: readonly LanguageCode[] | 'all'
}

/** Providers of speech output. */
export const synthesizers: readonly SpeechProvider[] = [
  { id: 1, name: 'Standard', code: 'standard', supportedLanguages: 'all' },
  {
    id: 2,
    name: 'Studio',
    code: 'studio',
    supportedLanguages: ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'pl', 'he', 'ja'],
  },
  { id: 3, name: 'Expressive', code: 'expressive', supportedLanguages: ['en', 'es', 'fr', 'de'] },
]

/** Providers of speech input. */
export const transcribers: readonly SpeechProvider[] = [
  { id: 1, name: 'Standard', code: 'standard', supportedLanguages: 'all' },
  {
    id: 2,
    name: 'Telephone',
    code: 'telephone',
    supportedLanguages: ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'da', 'sv', 'no', 'fi'],
  },
  { id: 3, name: 'Low latency', code: 'low-latency', supportedLanguages: ['en', 'es', 'de', 'ja', 'ko', 'zh', 'hi'] },
]
