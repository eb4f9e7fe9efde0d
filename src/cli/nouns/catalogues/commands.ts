import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { type Language, languages } from '../../../contract/resources/languages.ts'
import { type Model, models } from '../../../contract/resources/models.ts'
import { type Synthesizer, synthesizers } from '../../../contract/resources/synthesizers.ts'
import { type Transcriber, transcribers } from '../../../contract/resources/transcribers.ts'
import { type Voice, voices } from '../../../contract/resources/voices.ts'
import { type Command, type CommandFlag, command, type Invocation } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import type { Context } from '../../program/context.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import type { Column, View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import type { Target } from '../../program/resources/resource.ts'

/** Flag that accepts a code or name in place of `language_id`. */
const languageFlag: CommandFlag = {
  flags: '--language <code>',
  describe: 'Code, name or id of a language, such as es, Spanish or 2',
  field: 'language_id',
}

/** Resolves --language to the field `language_id`. @throws ClientFailure `not_found` for an unknown language */
async function readLanguageFlag(context: Context, flags: Invocation['flags']): Promise<{ language_id?: number }> {
  if (flags.language === undefined) return {}
  const given = String(flags.language)
  return { language_id: await resolveId(context, /^[A-Z]{2}$/.test(given) ? given.toLowerCase() : given, target) }
}

/** How --language finds a language. Scripts pass codes and names, in this order: fields are added, not removed. */
const target: Target = {
  singular: 'language',
  list: languages.list,
  by: ['iso_2', 'name'],
  label: (it) => String(it.name),
}

// What assistants are made of: lists that are the same for every account.

/** Creates the command that prints a catalogue, or the part of it that supports a language. */
const languageListCommand = (definition: Omit<Command, 'run'> & { readonly endpoint: Endpoint }): Command =>
  command({
    ...definition,
    isList: true,
    filledFields: ['language_id'],
    flags: [languageFlag],
    run: async (context, { input, flags }) =>
      printList(context, definition.endpoint, { ...input, ...(await readLanguageFlag(context, flags)) }),
  })

interface Item {
  readonly id: number
}

const idColumn: Column<Item> = { key: 'id', title: 'ID', priority: 1, kind: 'number' }
const nameColumn: Column<Item> = { key: 'name', title: 'Name', priority: 1 }

/** Returns the table of items that have a name and a code. */
const codedView = (empty: string): View<Item> => ({
  id: (it) => it.id,
  columns: [idColumn, nameColumn, { key: 'code', title: 'Code', priority: 2 }],
  empty,
})

export const listModels = listCommand({
  endpoint: models.list,
  examples: ['', '--type dualplex'],
  notes:
    'Use the id of an llm model as llm_model_id, in pipeline mode. Use the id of a multimodal or dualplex model as multimodal_model_id, in the mode of that name. Models of type llm have no code.',
  view: codedView('No models of this type.') satisfies View<Model>,
})

export const listSynthesizers = languageListCommand({
  endpoint: synthesizers.list,
  examples: ['', '--language es'],
  notes: 'Text-to-speech providers apply in pipeline and dualplex mode only.',
  view: codedView(
    'No text-to-speech provider supports this language. List languages: parley languages list.',
  ) satisfies View<Synthesizer>,
})

export const listTranscribers = languageListCommand({
  endpoint: transcribers.list,
  examples: ['', '--language es'],
  notes: 'Speech-to-text providers apply in pipeline mode only.',
  view: codedView(
    'No speech-to-text provider supports this language. List languages: parley languages list.',
  ) satisfies View<Transcriber>,
})

/** How voices are shown to people: titles and columns may change. Programs get the fields of the contract. */
const voiceView: View<Voice> = {
  id: (it) => it.id,
  columns: [
    idColumn,
    nameColumn,
    { key: 'language_id', title: 'Language', priority: 3, kind: 'number' },
    { key: 'gender', title: 'Gender', priority: 2 },
    { key: 'accent', title: 'Accent', priority: 2, flexible: true },
    { key: 'age', title: 'Age', priority: 4 },
    { key: 'synthesizer_provider_id', title: 'Synthesizer', priority: 5, kind: 'number' },
    { key: 'preview_url', title: 'Preview', priority: 6 },
  ],
  empty: 'No matching voices. Remove --mode or --language.',
}

export const listVoices = languageListCommand({
  endpoint: voices.list,
  examples: ['--language es', '--language en --mode multimodal -o id'],
  view: voiceView,
})

const languageView: View<Language> = {
  id: (it) => it.id,
  columns: [idColumn, { key: 'iso_2', title: 'Code', priority: 1 }, nameColumn],
  empty: 'No languages.',
}

export const listLanguages = listCommand({
  endpoint: languages.list,
  examples: ['', '--fields iso_2,name --no-header'],
  view: languageView,
})
