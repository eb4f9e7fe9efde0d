import { redactedText } from '../../../contract/values/redact.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import { entryResourceId } from '../../program/history/undo-result.ts'
import type { WriteLogEntry } from '../../program/history/write-log.ts'
import type { View } from '../../program/output/format.ts'
import type { NamedItem } from '../../program/output/named-items.ts'
import { nounToken } from '../../program/resources/registry.ts'

/** A history entry without the saved values. Scripts read it as JSON: fields and words are added, not renamed. */
export type ListedEntry = Omit<HistoryEntry, 'before' | 'sent' | 'after' | 'ids' | 'key' | 'promotion' | 'group'> & {
  readonly id: string
  readonly fields: readonly string[]
}

/** Converts a history entry to its listed form. That of a change of many resources names those of its `parts`, too. */
export const toListedEntry = (
  { before, sent, after: __, ids, key: ___, promotion, group, ...shown }: HistoryEntry,
  parts: readonly HistoryEntry[] = [],
): ListedEntry => ({
  ...shown,
  noun: nounToken(shown.noun),
  id: Object.values(ids).join('/'),
  fields: promotion
    ? Object.keys(promotion.items)
    : group
      ? [...group.items, ...parts.map(asItem)].map((it) => `${it.noun}/${it.name ?? it.id}`)
      : shown.action === 'update'
        ? changedFields(sent ?? {}, before)
        : [],
})

/** Returns the resource of an entry of a single write. */
export const asItem = (part: HistoryEntry): NamedItem => ({
  noun: part.noun,
  id: entryResourceId(part),
  name: part.name,
})

/** Fields of requests whose names say nothing to their readers. */
const fieldWords: Readonly<Record<string, string>> = { flow: 'definition', sample: 'test input' }

const fieldsText = ({ fields }: { readonly fields: readonly string[] }): string | null =>
  fields.map((it) => fieldWords[it] ?? it).join(', ') || null

/** Returns the names of the sent fields that differ from what was saved before. What is hidden in either counts as such. */
function changedFields(sent: object, before: object | null): string[] {
  const known = (before ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(sent).flatMap(([name, value]) => {
    const text = stringifyJson(value)
    const isSame = Object.hasOwn(known, name) && stringifyJson(known[name]) === text && !text.includes(redactedText)
    return isSame ? [] : [name]
  })
}

/** Columns for people: they and their titles may change. Scripts read JSON, and with `-o id` what `id` returns. */
export const view: View<ListedEntry> = {
  id: (it) => it.entry,
  columns: [
    { key: 'entry', title: 'Entry', priority: 1, kind: 'number' },
    { key: 'at', title: 'When', priority: 1, kind: 'computer_time' },
    { key: 'action', title: 'Action', priority: 1 },
    { key: 'noun', title: 'Resource', priority: 1 },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'name', title: 'Name', priority: 2, flexible: true },
    { key: fieldsText, field: 'fields', title: 'Fields', priority: 3, flexible: true },
    { key: 'state', title: 'State', priority: 4, kind: 'status' },
  ],
  empty: 'No changes of resources in the history. Purchases and paid messages: parley ops list',
}

/** Columns for people, as those of `view`. */
export const writesView: View<WriteLogEntry> = {
  id: (it) => it.request_id ?? it.at,
  columns: [
    { key: 'at', title: 'When', priority: 1, kind: 'computer_time' },
    { key: 'profile', title: 'Profile', priority: 4 },
    { key: 'host', title: 'Host', priority: 5 },
    { key: 'command', title: 'Command', priority: 1 },
    { key: 'id', title: 'ID', priority: 2 },
    { key: fieldsText, field: 'fields', title: 'Fields', priority: 3, flexible: true },
    { key: 'status', title: 'Status', priority: 2, kind: 'number' },
    { key: 'outcome', title: 'Outcome', priority: 1, kind: 'status' },
    { key: 'request_id', title: 'Request', priority: 6 },
  ],
  empty: 'No writes in the log.',
}

export const argument = { name: 'entry', describe: 'Number of the history entry (parley history list)' } as const
