import { languages } from './languages.ts'
import { type ModelType, models } from './models.ts'
import { type SpeechProvider, synthesizers, transcribers } from './speech-providers.ts'
import { type Voice, voices } from './voices.ts'

const supportsLanguage = (provider: SpeechProvider, languageId: number | undefined): boolean => {
  if (languageId === undefined) return true
  const language = languages.find((it) => it.id === languageId)
  return (
    language !== undefined &&
    (provider.supportedLanguages === 'all' || (provider.supportedLanguages as readonly string[]).includes(language.iso))
  )
}

/** Languages, models, speech providers and voices. They are the same for all accounts. */
export const catalogues = {
  languages: () => languages,
  models: (type: ModelType) => models[type],
  /** Returns the synthesizers that support a language. The list is empty for an unknown language (section 4.13). */
  synthesizers: (languageId?: number) => synthesizers.filter((it) => supportsLanguage(it, languageId)),
  transcribers: (languageId?: number) => transcribers.filter((it) => supportsLanguage(it, languageId)),
  voices: (filter: { mode?: Voice['modes'][number] | undefined; languageId?: number | undefined }) =>
    voices.filter(
      (it) =>
        (filter.languageId === undefined || it.languageId === filter.languageId) &&
        (filter.mode === undefined || it.modes.includes(filter.mode)),
    ),

  voice: (id: number): Voice | undefined => voices.find((it) => it.id === id),
  hasVoice: (id: number): boolean => voices.some((it) => it.id === id),
  hasLanguage: (id: number): boolean => languages.some((it) => it.id === id),
  hasModel: (id: number, type: ModelType): boolean => models[type].some((it) => it.id === id),
  /** Returns whether the provider exists and supports the language, if one is given. */
  hasSynthesizer: (id: number, languageId?: number): boolean =>
    synthesizers.some((it) => it.id === id && supportsLanguage(it, languageId)),
  hasTranscriber: (id: number, languageId?: number): boolean =>
    transcribers.some((it) => it.id === id && supportsLanguage(it, languageId)),
}
