import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { View } from '../../program/output/form.ts'
import type { SyncEntry } from './merge-entry.ts'
import { mergeEntry } from './merge-entry.ts'
import { conflictDetails } from './merged-entries.ts'

/** A file and its sync status, without contents. */
export type FileStatus = Pick<SyncEntry, 'file' | 'name' | 'status' | 'id' | 'fields'>

/** Returns the printed form of the entries. */
export const toFileStatuses = (entries: readonly SyncEntry[]): FileStatus[] =>
  entries.map(({ file, name, status, id, fields }) => ({ file, name, status, id, fields }))

export const syncView: View<FileStatus> = {
  id: (it) => it.file,
  columns: [
    { key: 'file', title: 'File', priority: 1 },
    { key: 'name', title: 'Name', priority: 2, flexible: true },
    { key: 'status', title: 'Status', priority: 1, kind: 'choice' },
    { key: (it) => it.fields.join(', ') || null, field: 'fields', title: 'Fields', priority: 3, flexible: true },
    { key: 'id', title: 'ID', priority: 4 },
  ],
  empty: 'No differences between files and platform.',
}

/** What a pull did with a file, by its status before. */
const pulled: Partial<Readonly<Record<SyncEntry['status'], string>>> = {
  remote_only: 'created',
  changed_remotely: 'updated',
  changed_both: 'merged',
  deleted_remotely: 'deleted',
}

/** Shows the files that a pull wrote. */
export const pulledView: View<FileStatus> = {
  ...syncView,
  columns: syncView.columns.map((it) =>
    it.key === 'status'
      ? { ...it, key: ({ status }) => pulled[status] ?? status, field: 'status', title: 'Result' }
      : it,
  ),
  empty: 'No remote changes.',
}

/** Returns whether an entry differs between files and platform. */
export const isDifferent = ({ status }: Pick<SyncEntry, 'status'>): boolean => status !== 'same'

/**
 * Rejects the run if any entry has a conflict. `diff` is the command that shows the differences; `sideFlag` is the flag
 * that takes one side.
 */
export function rejectConflicts(entries: readonly SyncEntry[], diff: string, sideFlag: string): void {
  const both = entries.filter((it) => it.status === 'conflict')
  if (both.length === 0) return
  const describeEntry = (it: SyncEntry): string => {
    const { file, local, remote } = it
    const fields = [...new Set(mergeEntry(it)?.conflicts.map(({ path }) => path.split('.', 1)[0]) ?? it.fields)]
    return `${file}${!local ? ' (deleted locally)' : !remote ? ' (deleted remotely)' : fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  }
  const reason = both.some((it) => it.base)
    ? 'changed locally and remotely since the last sync'
    : 'different locally and remotely, and no earlier sync has the values'
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: `Conflict: ${reason}: ${both.map(describeEntry).join(', ')}. Nothing was changed.`,
    details: both.flatMap((it) => conflictDetails(it)),
    hint: `Show the differences: ${diff}. Then make both the same, or ${sideFlag}.`,
  })
}

export const checkFlag = {
  flags: '--check',
  describe: 'Change nothing; exit 20 when files and platform differ',
} as const
export const pushCheckFlag = {
  flags: '--check',
  describe: 'Change nothing; exit 20 when a push would change anything or fail',
} as const
