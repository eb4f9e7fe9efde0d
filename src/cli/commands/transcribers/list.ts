import { type Transcriber, transcribers } from '../../../contract/resources/transcribers.ts'
import { command } from '../../commandline/command.ts'
import { languageFlag, readLanguageFlag } from '../../input/language-flag.ts'
import type { View } from '../../output/form.ts'
import { printList } from '../../output/print-list.ts'

const view: View<Transcriber> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'code', title: 'Code', priority: 2 },
  ],
  empty: 'No speech-to-text provider supports this language. List languages: parley languages list.',
}

export const list = command({
  endpoint: transcribers.list,
  filledFields: ['language_id'],
  flags: [languageFlag],
  examples: ['', '--language es'],
  notes: 'Speech-to-text providers apply in pipeline mode only.',
  view,
  run: async (context, { input, flags }) =>
    printList(context, transcribers.list, { ...input, ...(await readLanguageFlag(context, flags)) }),
})
