import type { languages } from '../../../contract/resources/languages.ts'
import type { models } from '../../../contract/resources/models.ts'
import type { synthesizers } from '../../../contract/resources/synthesizers.ts'
import type { transcribers } from '../../../contract/resources/transcribers.ts'
import type { voices } from '../../../contract/resources/voices.ts'
import { catalogues } from '../../services/catalogues/catalogues.ts'
import type { HandlersOf } from './handler.ts'

/** Creates the handlers of models. */
export const modelHandlers = (): HandlersOf<typeof models> => ({
  list: ({ type }) => catalogues.models(type).map((it) => ({ ...it })),
})

/** Creates the handlers of synthesizers. */
export const synthesizerHandlers = (): HandlersOf<typeof synthesizers> => ({
  list: ({ language_id }) => catalogues.synthesizers(language_id).map(({ id, name, code }) => ({ id, name, code })),
})

/** Creates the handlers of transcribers. */
export const transcriberHandlers = (): HandlersOf<typeof transcribers> => ({
  list: ({ language_id }) => catalogues.transcribers(language_id).map(({ id, name, code }) => ({ id, name, code })),
})

/** Creates the handlers of languages. */
export const languageHandlers = (): HandlersOf<typeof languages> => ({
  list: () => catalogues.languages().map(({ id, name, iso }) => ({ id, name, iso_2: iso })),
})

/** Creates the handlers of voices. */
export const voiceHandlers = (): HandlersOf<typeof voices> => ({
  list: ({ mode, language_id }) =>
    catalogues.voices({ mode, languageId: language_id }).map((voice) => ({
      id: voice.id,
      name: voice.name,
      language_id: voice.languageId,
      gender: voice.gender,
      preview_url: voice.previewUrl,
      accent: voice.accent,
      age: voice.age,
      synthesizer_provider_id: voice.synthesizerId,
    })),
})
