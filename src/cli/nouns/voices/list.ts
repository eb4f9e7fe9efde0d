import { type Voice, voices } from '../../../contract/resources/voices.ts'
import { languageListCommand } from '../../program/commandline/language-list-command.ts'
import type { View } from '../../program/output/form.ts'

const view: View<Voice> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'language_id', title: 'Language', priority: 3, kind: 'number' },
    { key: 'gender', title: 'Gender', priority: 2 },
    { key: 'accent', title: 'Accent', priority: 2, flexible: true },
    { key: 'age', title: 'Age', priority: 4 },
    { key: 'synthesizer_provider_id', title: 'Synthesizer', priority: 5, kind: 'number' },
    { key: 'preview_url', title: 'Preview', priority: 6 },
  ],
  empty: 'No matching voices. Remove --mode or --language.',
}

export const list = languageListCommand({
  endpoint: voices.list,
  examples: ['--language es', '--language en --mode multimodal -o id'],
  view,
})
