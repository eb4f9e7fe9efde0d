import type { JournalEntry } from '../../../client/journal.ts'
import type { View } from '../../output/form.ts'

export const view: View<JournalEntry> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'at', title: 'When', priority: 1, kind: 'time' },
    { key: 'endpoint', title: 'What', priority: 1 },
    { key: (it) => (it.input as { phone_number?: string } | null)?.phone_number ?? '', title: 'Number', priority: 1 },
    { key: 'profile', title: 'Profile', priority: 3 },
    { key: 'state', title: 'State', priority: 1, kind: 'status' },
  ],
  empty: 'Nothing was spent from here.',
}
