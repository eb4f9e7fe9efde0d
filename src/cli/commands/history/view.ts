import type { HistoryEntry } from '../../history/entries.ts'
import type { WriteLogEntry } from '../../history/write-log.ts'
import type { View } from '../../output/form.ts'
import { nounToken } from '../../resources/descriptors.ts'

/** A history entry without the saved values. */
export type ListedEntry = Omit<HistoryEntry, 'before' | 'sent' | 'after' | 'ids' | 'key' | 'promotion'> & {
  readonly id: string
  readonly fields: readonly string[]
}

/** Converts a history entry to its listed form. */
export const toListedEntry = ({
  before: _,
  sent,
  after: __,
  ids,
  key: ___,
  promotion,
  ...it
}: HistoryEntry): ListedEntry => ({
  ...it,
  noun: nounToken(it.noun),
  id: Object.values(ids).join('/'),
  fields: Object.keys(promotion?.items ?? (it.action === 'update' ? sent : null) ?? {}),
})

export const view: View<ListedEntry> = {
  id: (it) => it.entry,
  columns: [
    { key: 'entry', title: 'Entry', priority: 1, kind: 'number' },
    { key: 'at', title: 'When', priority: 1, kind: 'computer_time' },
    { key: 'action', title: 'Action', priority: 1 },
    { key: 'noun', title: 'Resource', priority: 1 },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'name', title: 'Name', priority: 2, flexible: true },
    { key: (it) => it.fields.join(', ') || null, field: 'fields', title: 'Fields', priority: 3, flexible: true },
    { key: 'state', title: 'State', priority: 4, kind: 'status' },
  ],
  empty: 'No history: this CLI has not changed anything with this profile.',
}

export const writesView: View<WriteLogEntry> = {
  id: (it) => it.request_id ?? it.at,
  columns: [
    { key: 'at', title: 'When', priority: 1, kind: 'computer_time' },
    { key: 'profile', title: 'Profile', priority: 4 },
    { key: 'host', title: 'Host', priority: 5 },
    { key: 'command', title: 'Command', priority: 1 },
    { key: 'id', title: 'ID', priority: 2 },
    { key: (it) => it.fields.join(', ') || null, field: 'fields', title: 'Fields', priority: 3, flexible: true },
    { key: 'status', title: 'Status', priority: 2, kind: 'number' },
    { key: 'outcome', title: 'Outcome', priority: 1, kind: 'status' },
    { key: 'request_id', title: 'Request', priority: 6 },
  ],
  empty: 'No writes were made by this CLI.',
}

export const argument = { name: 'entry', describe: 'Number of the history entry (parley history list)' } as const
