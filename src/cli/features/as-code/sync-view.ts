import type { View } from '../../program/output/format.ts'
import type { SyncEntry } from './compare.ts'

/** A file and its sync status, without contents. Scripts read it as JSON: fields and words are added, not renamed. */
export type FileStatus = Pick<SyncEntry, 'file' | 'name' | 'status' | 'id' | 'fields'>

/** Returns the printed form of the entries. */
export const toFileStatuses = (entries: readonly SyncEntry[]): FileStatus[] =>
  entries.map(({ file, name, status, id, fields }) => ({ file, name, status, id, fields }))

/** Columns for people: they and their titles may change. Scripts read JSON, and with `-o id` what `id` returns. */
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
  columns: syncView.columns.map((column) =>
    column.key === 'status'
      ? { ...column, key: ({ status }) => pulled[status] ?? status, field: 'status', title: 'Result' }
      : column,
  ),
  empty: 'No remote changes.',
}

/** Returns whether an entry differs between files and platform. */
export const isDifferent = ({ status }: Pick<SyncEntry, 'status'>): boolean => status !== 'same'

/** Result of one file. Scripts read it as JSON: fields and words are added, not renamed. */
export interface PushResult {
  readonly file: string
  readonly id: number | string | null
  /**
   * `test_failed`: the test of the definition failed and the previous version is live. `conflict`: it was changed remotely
   * during the command, and was not written.
   */
  readonly done:
    | 'test_failed'
    | 'created'
    | 'updated'
    | 'deleted'
    | 'failed'
    | 'conflict'
    | 'would_create'
    | 'would_update'
    | 'would_delete'
  readonly remark: string | null
  /** Set if the change cannot be undone. */
  readonly undo?: false | undefined
}

/** Columns for people, as those of `syncView`. */
export const pushResultView: View<PushResult> = {
  id: (it) => it.id ?? it.file,
  columns: [
    { key: 'file', title: 'File', priority: 1 },
    { key: 'done', title: 'Result', priority: 1, kind: 'status' },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'remark', title: 'Note', priority: 1, flexible: true },
  ],
  empty: 'Nothing to push: the platform matches the files.',
}

/** Returns whether a file was not written. */
export const isNotWritten = ({ done }: PushResult): boolean => done === 'failed' || done === 'conflict'

/** Adds the remarks of the plan to results. They do not change the exit code. */
export const withRemarks = <T extends Pick<PushResult, 'file' | 'remark'>>(
  results: readonly T[],
  remarks: ReadonlyMap<string, readonly string[]>,
): T[] =>
  results.map((result) => {
    const lines = [...(result.remark === null ? [] : [result.remark]), ...(remarks.get(result.file) ?? [])]
    return { ...result, remark: lines.length > 0 ? lines.join(' ') : null }
  })
