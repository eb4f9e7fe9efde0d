import type { Iso } from './languages.ts'

/** A provider of speech: of its output (synthesizer) or its input (transcriber). */
export interface SpeechProvider {
  readonly id: number
  readonly name: string
  readonly code: string
  /** Languages it supports. */
  readonly speaks: readonly Iso[] | 'all'
}

export const synthesizers: readonly SpeechProvider[] = [
  { id: 1, name: 'Standard', code: 'standard', speaks: 'all' },
  { id: 2, name: 'Studio', code: 'studio', speaks: ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'pl', 'he', 'ja'] },
  { id: 3, name: 'Expressive', code: 'expressive', speaks: ['en', 'es', 'fr', 'de'] },
]

export const transcribers: readonly SpeechProvider[] = [
  { id: 1, name: 'Standard', code: 'standard', speaks: 'all' },
  { id: 2, name: 'Telephone', code: 'telephone', speaks: ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'da', 'sv', 'no', 'fi'] },
  { id: 3, name: 'Low latency', code: 'low-latency', speaks: ['en', 'es', 'de', 'ja', 'ko', 'zh', 'hi'] },
]
