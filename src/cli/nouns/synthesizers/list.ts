import { type Synthesizer, synthesizers } from '../../../contract/resources/synthesizers.ts'
import { languageListCommand } from '../../program/commandline/language-list-command.ts'
import type { View } from '../../program/output/form.ts'

const view: View<Synthesizer> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'code', title: 'Code', priority: 2 },
  ],
  empty: 'No text-to-speech provider supports this language. List languages: parley languages list.',
}

export const list = languageListCommand({
  endpoint: synthesizers.list,
  examples: ['', '--language es'],
  notes: 'Text-to-speech providers apply in pipeline and dualplex mode only.',
  view,
})
