import type { EngineMode } from '../../contract/assistants/engine-modes.ts'
import { type LanguageCode, languageId } from './languages.ts'

/** A voice of the local platform. */
export interface Voice {
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

/** Ids are positions in this order and must not change: add new voices at the end. */
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
export const voices: readonly Voice[] = rows.map(([name, iso, gender, accent, age, synthesizerId], n) => ({
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
