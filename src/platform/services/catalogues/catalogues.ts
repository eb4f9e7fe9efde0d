import type { EngineMode } from '../../../contract/assistants/engine-modes.ts'
import { type LanguageCode, languageId, languages } from './languages.ts'

/** The engine mode a model is for. `llm` is for pipeline (section 4.14). */
type ModelType = 'llm' | 'multimodal' | 'dualplex'

/** A language model of the local platform. */
interface Model {
  readonly id: number
  readonly name: string
  /** Absent from models of type `llm` (section 2.6). */
  readonly code?: string
}

/**
 * Models by type. Ids are unique across all types, so that a model of the wrong type is never accepted. Stored assistants have them:
 * an id keeps its model. Tests of foreign assistants name Fast, Realtime and Duplex (open-account.ts of the CLI).
 */
const models: Readonly<Record<ModelType, readonly Model[]>> = {
  llm: [
    { id: 1, name: 'Fast' },
    { id: 2, name: 'Balanced' },
    { id: 3, name: 'Thorough' },
    { id: 4, name: 'Fast, long context' },
    { id: 5, name: 'Balanced, long context' },
  ],
  multimodal: [
    { id: 21, name: 'Realtime', code: 'realtime' },
    { id: 22, name: 'Realtime mini', code: 'realtime-mini' },
    { id: 23, name: 'Realtime vision', code: 'realtime-vision' },
  ],
  dualplex: [
    { id: 41, name: 'Duplex', code: 'duplex' },
    { id: 42, name: 'Duplex mini', code: 'duplex-mini' },
  ],
}

/** A provider of speech output (synthesizer) or speech input (transcriber). Stored assistants have its id: it never changes. */
interface SpeechProvider {
  readonly id: number
  readonly name: string
  readonly code: string
  /** Languages the provider supports. */
  readonly supportedLanguages: readonly LanguageCode[] | 'all'
}

/** Providers of speech output. */
const synthesizers: readonly SpeechProvider[] = [
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
const transcribers: readonly SpeechProvider[] = [
  { id: 1, name: 'Standard', code: 'standard', supportedLanguages: 'all' },
  {
    id: 2,
    name: 'Telephone',
    code: 'telephone',
    supportedLanguages: ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'da', 'sv', 'no', 'fi'],
  },
  { id: 3, name: 'Low latency', code: 'low-latency', supportedLanguages: ['en', 'es', 'de', 'ja', 'ko', 'zh', 'hi'] },
]

/** A voice of the local platform. */
interface Voice {
  readonly id: number
  readonly name: string
  readonly languageId: number
  readonly gender: 'female' | 'male'
  readonly accent: string
  readonly age: 'young' | 'middle-aged' | 'old'
  /** Id of the synthesizer that provides the voice; null for voices of multimodal models. */
  readonly synthesizerId: number | null
  /** Engine modes the voice can be used in. */
  readonly modes: readonly EngineMode[]
  readonly previewUrl: string
}

const ages = { y: 'young', m: 'middle-aged', o: 'old' } as const
type Row = readonly [
  name: string,
  iso: LanguageCode,
  gender: 'f' | 'm',
  accent: string,
  age: keyof typeof ages,
  synthesizer: number | null,
]

/**
 * Ids are positions in this order and must not change: add new voices at the end. Tests of foreign assistants name Amelia
 * and Wren (open-account.ts of the CLI).
 */
const rows: readonly Row[] = [
  ['Amelia', 'en', 'f', 'American', 'm', 1],
  ['Jonah', 'en', 'm', 'American', 'y', 1],
  ['Harriet', 'en', 'f', 'British', 'm', 2],
  ['Edmund', 'en', 'm', 'British', 'o', 2],
  ['Sienna', 'en', 'f', 'Australian', 'y', 3],
  ['Callum', 'en', 'm', 'Scottish', 'm', 3],
  ['Lucia', 'es', 'f', 'Castilian', 'm', 1],
  ['Mateo', 'es', 'm', 'Mexican', 'y', 2],
  ['Camille', 'fr', 'f', 'Parisian', 'y', 1],
  ['Antoine', 'fr', 'm', 'Canadian', 'm', 2],
  ['Klara', 'de', 'f', 'German', 'm', 1],
  ['Lukas', 'de', 'm', 'Austrian', 'y', 3],
  ['Giulia', 'it', 'f', 'Italian', 'y', 1],
  ['Beatriz', 'pt', 'f', 'Brazilian', 'm', 1],
  ['Tiago', 'pt', 'm', 'European', 'm', 2],
  ['Sanne', 'nl', 'f', 'Dutch', 'y', 1],
  ['Zofia', 'pl', 'f', 'Polish', 'm', 1],
  ['Freja', 'da', 'f', 'Danish', 'y', 1],
  ['Elsa', 'sv', 'f', 'Swedish', 'm', 1],
  ['Henrik', 'no', 'm', 'Norwegian', 'm', 1],
  ['Aino', 'fi', 'f', 'Finnish', 'y', 1],
  ['Noa', 'he', 'f', 'Israeli', 'y', 1],
  ['Eitan', 'he', 'm', 'Israeli', 'm', 2],
  ['Layla', 'ar', 'f', 'Levantine', 'm', 1],
  ['Emre', 'tr', 'm', 'Turkish', 'm', 1],
  ['Irina', 'ru', 'f', 'Russian', 'm', 1],
  ['Oksana', 'uk', 'f', 'Ukrainian', 'y', 1],
  ['Tereza', 'cs', 'f', 'Czech', 'y', 1],
  ['Marek', 'sk', 'm', 'Slovak', 'm', 1],
  ['Bence', 'hu', 'm', 'Hungarian', 'y', 1],
  ['Ioana', 'ro', 'f', 'Romanian', 'm', 1],
  ['Desislava', 'bg', 'f', 'Bulgarian', 'm', 1],
  ['Nikos', 'el', 'm', 'Greek', 'o', 1],
  ['Ivana', 'hr', 'f', 'Croatian', 'y', 1],
  ['Rasa', 'lt', 'f', 'Lithuanian', 'm', 1],
  ['Haruka', 'ja', 'f', 'Tokyo', 'y', 2],
  ['Minjun', 'ko', 'm', 'Seoul', 'y', 1],
  ['Xiaomei', 'zh', 'f', 'Mandarin', 'm', 1],
  ['Ananya', 'hi', 'f', 'Indian', 'y', 1],
  ['Budi', 'id', 'm', 'Indonesian', 'm', 1],
  ['Linh', 'vi', 'f', 'Southern', 'y', 1],
  ['Malee', 'th', 'f', 'Thai', 'm', 1],
  ['Wren', 'en', 'f', 'American', 'y', null],
  ['Ash', 'en', 'm', 'American', 'm', null],
  ['Robin', 'en', 'f', 'British', 'm', null],
  ['Sol', 'es', 'f', 'Castilian', 'y', null],
  ['Remy', 'fr', 'm', 'Parisian', 'm', null],
  ['Kai', 'de', 'm', 'German', 'y', null],
  ['Tamar', 'he', 'f', 'Israeli', 'm', null],
]

/** All voices of the local platform. */
const voices: readonly Voice[] = rows.map(([name, iso, gender, accent, age, synthesizerId], n) => ({
  id: n + 1,
  name,
  languageId: languageId(iso),
  gender: gender === 'f' ? 'female' : 'male',
  accent,
  age: ages[age],
  synthesizerId,
  modes: synthesizerId === null ? ['multimodal'] : ['pipeline', 'dualplex'],
  previewUrl: `https://voices.example/${name.toLowerCase()}.mp3`,
}))

const supportsLanguage = (provider: SpeechProvider, languageId: number | undefined): boolean => {
  if (languageId === undefined) return true
  const language = languages.find((it) => it.id === languageId)
  return (
    language !== undefined &&
    (provider.supportedLanguages === 'all' || provider.supportedLanguages.some((it) => it === language.iso))
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
      (voice) =>
        (filter.languageId === undefined || voice.languageId === filter.languageId) &&
        (filter.mode === undefined || voice.modes.includes(filter.mode)),
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
