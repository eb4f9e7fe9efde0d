import type { Context } from '../../program/context.ts'
import type { PromotionRecord } from '../../program/history/entries.ts'
import { addEntry, findEntry, historyScope, promotionNoun, updateEntry } from '../../program/history/entries.ts'
import { saveBeforeWrite } from '../../program/history/recorder.ts'
import { savesHistory } from '../../program/history/undo-unavailable.ts'
import { savePromotion } from './promotion-record.ts'

/**
 * Saves a promotion before its first write: its file, and its history entry, of which the entries of its writes are
 * parts. A promotion that resumes an interrupted one continues its entry. Returns the record with the entry's number.
 * @throws ClientFailure `undo_unavailable` if it cannot be saved
 */
export async function startPromotion(
  target: Context,
  folder: string,
  record: PromotionRecord,
): Promise<PromotionRecord> {
  const { system } = target
  const scope = await historyScope(target)
  const isContinued = record.entry !== undefined && findEntry(system, scope, record.entry)?.promotion !== undefined
  let entry = isContinued ? record.entry : undefined
  if (entry === undefined && (await savesHistory(target))) {
    const { at, from, to } = record
    const { profile, baseUrl } = scope
    const nothing = { request_id: null, before: null, sent: null, after: null, pointers: [] }
    const draft = {
      ...nothing,
      at,
      profile,
      base_url: baseUrl,
      noun: promotionNoun,
      ids: { profile: to },
      name: `${from} -> ${to}`,
      action: 'promote',
      command: 'promote',
      state: 'open',
      promotion: record,
    } as const
    entry = (await saveBeforeWrite(target, 'The promotion', () => addEntry(system, scope, draft)))?.entry
  }
  const { entry: _, ...rest } = record
  const saved = entry === undefined ? rest : { ...rest, entry }
  if (entry !== undefined) target.historyGroup = entry
  await updatePromotion(target, folder, saved)
  return saved
}

/** Saves the state of a promotion in its file and in its history entry. */
export async function updatePromotion(target: Context, folder: string, record: PromotionRecord): Promise<void> {
  savePromotion(folder, record)
  if (record.entry === undefined) return
  const scope = await historyScope(target)
  const copy = findEntry(target.system, scope, record.entry)
  if (!copy?.promotion) return
  const state = record.state === 'open' ? 'open' : 'done'
  updateEntry(target.system, scope, { ...copy, state, promotion: record })
}
