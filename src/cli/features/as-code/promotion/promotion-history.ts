// `history diff` and `history undo` for the entry of a promotion. Undoing it is the same as
// `promote undo` (undo-promotion.ts).

import { isDeepStrictEqual } from 'node:util'
import type { Invocation } from '../../../program/commandline/command.ts'
import { describePlatform } from '../../../program/configuration/active-profile.ts'
import type { Context } from '../../../program/context.ts'
import type { HistoryEntry, PromotionRecord } from '../../../program/history/entries.ts'
import { idView } from '../../../program/output/format.ts'
import { nounToken } from '../../../program/resources/registry.ts'
import { parseWriteOptions } from '../../automations/write-flags.ts'
import { lockKey } from '../compare-folder.ts'
import { changeLines } from '../drift.ts'
import { parseSelection } from '../project-layout.ts'
import { SyncLock } from '../sync-lock.ts'
import { readPromotedEntries } from './promoted-entries.ts'
import { promotionFolder } from './promotion-record.ts'
import { undoPromotion } from './undo-promotion.ts'

/**
 * A difference between what a promotion found and the platform now. Scripts read it as JSON: fields and words are added, not
 * renamed.
 */
interface PromotionDifference {
  /** `assistants/front-desk.yaml`. */
  readonly resource: string
  /** `created`: it did not exist before the promotion. `deleted`: it no longer exists. */
  readonly state: 'changed' | 'created' | 'deleted'
  /** The fields that differ. Empty for resources that were created or deleted. */
  readonly fields: readonly { readonly field: string; readonly copy: unknown; readonly live: unknown }[]
}

interface FoundDifference {
  readonly difference: PromotionDifference
  /** What changed, for people. */
  readonly lines: readonly string[]
}

/** Compares all resources of a promotion with the profile in use, and prints the differences. */
export async function diffPromotionEntry(
  context: Context,
  { entry, noun, ids }: HistoryEntry,
  promotion: PromotionRecord,
): Promise<'finding' | 'done'> {
  const { out } = context
  const found = await findDifferences(context, promotion)
  const differences = found.map((it) => it.difference)
  const print = async (): Promise<void> => {
    if (found.length === 0) await out.line('No differences.')
    for (const { difference, lines } of found)
      for (const text of lines) await out.line(`${difference.resource}: ${text}`)
  }
  await out.result(
    { entry, noun: nounToken(noun), id: Object.values(ids).join('/'), gone: false, differences },
    print,
    { view: idView(() => entry) },
  )
  return differences.length > 0 ? 'finding' : 'done'
}

async function findDifferences(context: Context, promotion: PromotionRecord): Promise<FoundDifference[]> {
  const { layout } = await parseSelection(context, [], undefined, true)
  const { profileName } = await context.settings()
  const lock = new SyncLock(promotionFolder(context.system, profileName.value), await lockKey(context))
  const entries = await readPromotedEntries(context, layout, promotion, lock)
  return Object.entries(promotion.items).flatMap(([resource, { before, fields }]): FoundDifference[] => {
    const entry = entries.find((it) => it.file === resource)
    const live = entry?.remote?.content
    if (!before)
      return live
        ? [{ difference: { resource, state: 'created', fields: [] }, lines: ['created by the promotion'] }]
        : []
    if (!entry || !live)
      return [{ difference: { resource, state: 'deleted', fields: [] }, lines: ['no longer exists'] }]
    const changed = fields
      .map((field) => ({ field, copy: before[field] ?? null, live: live[field] ?? null }))
      .filter(({ copy, live: now }) => !isDeepStrictEqual(copy, now))
    if (changed.length === 0) return []
    const lines = changed.flatMap(({ field, copy, live: now }) => changeLines(entry.kind, field, copy, now))
    return [{ difference: { resource, state: 'changed', fields: changed }, lines }]
  })
}

/** Undoes the promotion of a history entry in the profile in use, like `promote undo`. */
export async function undoPromotionEntry(
  context: Context,
  { entry, promotion }: HistoryEntry,
  flags: Invocation['flags'],
): Promise<'finding' | 'partial' | 'conflict' | 'done'> {
  const { layout } = await parseSelection(context, [], undefined, true)
  const settings = await context.settings()
  const to = {
    name: settings.profileName.value,
    context,
    described: describePlatform(settings),
    baseUrl: settings.baseUrl.value,
  }
  return undoPromotion(context, to, {
    layout,
    options: parseWriteOptions(flags),
    confirm: flags.confirm,
    forced: flags.force === true,
    ...(promotion && { chosen: { ...promotion, entry } }),
  })
}
