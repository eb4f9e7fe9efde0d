import { languages } from '../../../contract/resources/languages.ts'
import { models } from '../../../contract/resources/models.ts'
import { synthesizers } from '../../../contract/resources/synthesizers.ts'
import { transcribers } from '../../../contract/resources/transcribers.ts'
import { voices } from '../../../contract/resources/voices.ts'
import { catalogues } from '../../services/catalogues/catalogues.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Creates the handlers of models. */
const modelHandlers = (): HandlersOf<typeof models> => ({
  list: ({ type }) => catalogues.models(type).map((it) => ({ ...it })),
})

/** Creates the handlers of synthesizers. */
const synthesizerHandlers = (): HandlersOf<typeof synthesizers> => ({
  list: ({ language_id }) => catalogues.synthesizers(language_id).map(({ id, name, code }) => ({ id, name, code })),
})

/** Creates the handlers of transcribers. */
const transcriberHandlers = (): HandlersOf<typeof transcribers> => ({
  list: ({ language_id }) => catalogues.transcribers(language_id).map(({ id, name, code }) => ({ id, name, code })),
})

/** Creates the handlers of languages. */
const languageHandlers = (): HandlersOf<typeof languages> => ({
  list: () => catalogues.languages().map(({ id, name, iso }) => ({ id, name, iso_2: iso })),
})

/** Creates the handlers of voices. */
const voiceHandlers = (): HandlersOf<typeof voices> => ({
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

/** The catalogues with their handlers, by resource. They are the same for every account. */
export const catalogueResources = {
  models: loadedResource(models, modelHandlers()),
  synthesizers: loadedResource(synthesizers, synthesizerHandlers()),
  transcribers: loadedResource(transcribers, transcriberHandlers()),
  voices: loadedResource(voices, voiceHandlers()),
  languages: loadedResource(languages, languageHandlers()),
} satisfies Readonly<Record<string, LoadedResource>>
