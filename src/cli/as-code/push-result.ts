import type { View } from '../output/form.ts'

/** Result of one file. */
export interface PushResult {
  readonly file: string
  readonly id: number | string | null
  /** `test_failed`: the test of the definition failed and the previous version is live. */
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
    { key: 'done', title: 'Result', priority: 1, kind: 'status' },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'remark', title: 'Note', priority: 1, flexible: true },
  ],
  empty: 'Nothing to push: the platform matches the files.',
}
