import { type Transcriber, transcribers } from '../../../contract/resources/transcribers.ts'
import { languageListCommand } from '../../program/commandline/language-list-command.ts'
import type { View } from '../../program/output/form.ts'

const view: View<Transcriber> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'code', title: 'Code', priority: 2 },
  ],
  empty: 'No speech-to-text provider supports this language. List languages: parley languages list.',
}

export const list = languageListCommand({
  endpoint: transcribers.list,
  examples: ['', '--language es'],
  notes: 'Speech-to-text providers apply in pipeline mode only.',
  view,
})
