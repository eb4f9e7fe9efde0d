import type { View } from '../../../program/output/format.ts'
import type { SyncEntry } from '../compare.ts'
import type { FolderComparison } from '../compare-folder.ts'
import type { PushResult } from '../sync-view.ts'
import type { PromotionPlan } from './promotion-plan.ts'

/** Result of one resource of a promotion or of its undo. Scripts read it as JSON: fields and words are added, not renamed. */
export interface PromotionResult {
  readonly file: string
  readonly name: string
  readonly id: number | string | null
  readonly done: PushResult['done'] | 'unchanged'
  /** Fields that are changed. */
  readonly fields: readonly string[]
  /** Whether it is in use on the target. */
  readonly live: boolean
  readonly remark: string | null
}

/** Columns for people: they and their titles may change. Scripts read JSON, and with `-o id` what `id` returns. */
export const promotionView: View<PromotionResult> = {
  id: (it) => it.id ?? it.file,
  columns: [
    { key: 'file', title: 'Resource', priority: 1 },
    { key: 'done', title: 'Result', priority: 1, kind: 'status' },
    { key: (it) => it.fields.join(', ') || null, field: 'fields', title: 'Fields', priority: 2, flexible: true },
    { key: (it) => (it.live ? 'yes' : null), field: 'live', title: 'Live', priority: 2 },
    { key: 'id', title: 'ID', priority: 3 },
    { key: 'remark', title: 'Note', priority: 1, flexible: true },
  ],
  empty: 'Nothing to promote: the profiles match.',
}

/** Returns the message of a promotion that writes nothing. What it leaves unchanged may still differ. */
export function emptyText({ entries }: FolderComparison, to: string, isComplete: boolean): string {
  const left = entries.flatMap(({ file, local, remote, merge }): string[] => {
    if (!local) return [`${file} (only in profile "${to}")`]
    if (local.hash === remote?.hash && !merge) return []
    const preserved = (merge?.adopted ?? []).map(({ path }) => path)
    return [`${file} (${preserved.length > 0 ? `preserved: ${preserved.join(', ')}` : 'fields that are not promoted'})`]
  })
  if (left.length > 0) return `Nothing to promote. The profiles still differ: ${left.join(', ')}.`
  return isComplete ? promotionView.empty : 'Nothing else to promote.'
}

/** Returns the planned result of each resource. */
export const plannedResults = ({ written, unchanged, live }: PromotionPlan): PromotionResult[] => [
  ...written.map((it) => toResult(it, it.remote ? 'would_update' : 'would_create', live)),
  ...unchanged.map((it) => toResult(it, 'unchanged', live)),
]

/** Returns the results of written resources. */
export const writtenResults = (
  entries: readonly SyncEntry[],
  live: ReadonlySet<string>,
  sent: readonly PushResult[],
): PromotionResult[] => {
  const entryOf = new Map(entries.map((it) => [it.file, it]))
  return sent.map(({ file, id, done, remark }) => ({
    ...toResult(entryOf.get(file) as SyncEntry, done, live),
    id,
    remark,
  }))
}

const toResult = (
  { file, name, id, local, remote, fields }: SyncEntry,
  done: PromotionResult['done'],
  live: ReadonlySet<string>,
): PromotionResult => ({
  file,
  name: local?.name ?? name,
  id: remote ? id : null,
  done,
  fields: done === 'unchanged' ? [] : fields,
  live: live.has(file),
  remark: null,
})
