import { type Synthesizer, synthesizers } from '../../../contract/resources/synthesizers.ts'
import { command } from '../../commandline/command.ts'
import { languageFlag, readLanguageFlag } from '../../input/language-flag.ts'
import type { View } from '../../output/form.ts'
import { printList } from '../../output/print-list.ts'

const view: View<Synthesizer> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'code', title: 'Code', priority: 2 },
  ],
  empty: 'No text-to-speech provider supports this language. List languages: parley languages list.',
}

export const list = command({
  endpoint: synthesizers.list,
  filledFields: ['language_id'],
  flags: [languageFlag],
  examples: ['', '--language es'],
  notes: 'Text-to-speech providers apply in pipeline and dualplex mode only.',
  view,
  run: async (context, { input, flags }) =>
    printList(context, synthesizers.list, { ...input, ...(await readLanguageFlag(context, flags)) }),
})
