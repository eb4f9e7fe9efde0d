import type { View } from '../output/form.ts'

/** What became of one file. */
export interface PushResult {
  readonly file: string
  readonly id: number | string | null
  /** `test_failed`: the definition failed its test, and what was live before is live. */
  readonly done:
    | 'test_failed'
    | 'created'
    | 'updated'
    | 'deleted'
    | 'failed'
    | 'would_create'
    | 'would_update'
    | 'would_delete'
  readonly remark: string | null
}

export const pushResultView: View<PushResult> = {
  id: (it) => it.id ?? it.file,
  columns: [
    { key: 'file', title: 'File', priority: 1 },
    { key: 'done', title: 'Done', priority: 1, kind: 'status' },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'remark', title: 'Remark', priority: 1, flexible: true },
  ],
  empty: 'Nothing to push: the platform matches the files.',
}
