import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../program/context.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import { nounToken } from '../../program/resources/descriptors.ts'
import { describeChanges } from '../../program/updates/field-changes.ts'
import { lockKey } from '../as-code/compare-folder.ts'
import { parseSelection } from '../as-code/project-layout.ts'
import { SyncLock } from '../as-code/sync-lock.ts'
import { readPromotedEntries } from './promoted-entries.ts'
import { type PromotionRecord, promotionFolder } from './promotion-record.ts'

/** A difference between what a promotion found and the platform now. */
interface PromotionDifference {
  /** `assistants/front-desk.yaml`. */
  readonly resource: string
  /** `created`: it did not exist before the promotion. `deleted`: it no longer exists. */
  readonly state: 'changed' | 'created' | 'deleted'
  /** The fields that differ. Empty for resources that were created or deleted. */
  readonly fields: readonly { readonly field: string; readonly copy: unknown; readonly live: unknown }[]
}

/** Compares all resources of a promotion with the profile in use, and prints the differences. */
export async function diffPromotionEntry(
  context: Context,
  { entry, noun, ids }: HistoryEntry,
  promotion: PromotionRecord,
): Promise<'finding' | 'done'> {
  const { out } = context
  const differences = await findDifferences(context, promotion)
  if (out.settings.form !== 'table' || out.settings.fields)
    await out.record({ entry, noun: nounToken(noun), id: Object.values(ids).join('/'), gone: false, differences }, {
      view: { id: () => entry, columns: [], empty: '' },
    } as never)
  else for (const it of differences.length > 0 ? differences.flatMap(toLines) : ['No differences.']) await out.line(it)
  return differences.length > 0 ? 'finding' : 'done'
}

async function findDifferences(context: Context, promotion: PromotionRecord): Promise<PromotionDifference[]> {
  const { layout } = await parseSelection(context, [], undefined, true)
  const { profileName } = await context.settings()
  const lock = new SyncLock(promotionFolder(context.system, profileName.value), await lockKey(context))
  const entries = await readPromotedEntries(context, layout, promotion, lock)
  return Object.entries(promotion.items).flatMap(([resource, { before, fields }]): PromotionDifference[] => {
    const live = entries.find((it) => it.file === resource)?.remote?.content
    if (!before) return live ? [{ resource, state: 'created', fields: [] }] : []
    if (!live) return [{ resource, state: 'deleted', fields: [] }]
    const changed = fields
      .map((field) => ({ field, copy: before[field] ?? null, live: live[field] ?? null }))
      .filter(({ copy, live: now }) => !isDeepStrictEqual(copy, now))
    return changed.length > 0 ? [{ resource, state: 'changed', fields: changed }] : []
  })
}

const toLines = ({ resource, state, fields }: PromotionDifference): string[] =>
  state === 'created'
    ? [`${resource}: created by the promotion`]
    : state === 'deleted'
      ? [`${resource}: no longer exists`]
      : fields.flatMap(({ field, copy, live }) =>
          describeChanges({ [field]: copy }, { [field]: live }).map((it) => `${resource}: ${it}`),
        )
