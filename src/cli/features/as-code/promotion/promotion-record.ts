// The last promotion to a profile, saved before its first write and after each: `promote undo` and a promotion that was
// interrupted rely on it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { makeFolder } from '../../../../node/make-folder.ts'
import { replaceFile } from '../../../../node/replace-file.ts'
import { dataDir } from '../../../program/configuration/app-folders.ts'
import type { Context } from '../../../program/context.ts'
import { lockWork } from '../../../program/errors/lock-work.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import {
  addEntry,
  findEntry,
  historyScope,
  type PromotionRecord,
  promotionNoun,
  updateEntry,
} from '../../../program/history/entries.ts'
import { saveBeforeWrite } from '../../../program/history/recorder.ts'
import { savesHistory } from '../../../program/history/undo-unavailable.ts'
import type { System } from '../../../program/system.ts'

/** Returns the folder with the state of promotions to a profile. An interrupted promotion is found by it: it never changes. */
export const promotionFolder = (system: System, to: string): string => join(dataDir(system), 'promotions', to)

const recordFile = (folder: string): string => join(folder, 'promotion.json')

/** Reads the last promotion to a profile. @throws ClientFailure `usage` for a file that cannot be parsed */
export function readPromotion(folder: string): PromotionRecord | undefined {
  let text: string
  try {
    text = readFileSync(recordFile(folder), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw usageError(`${recordFile(folder)} could not be read: ${(error as Error).message}.`)
  }
  try {
    return parseJson(text) as PromotionRecord
  } catch {
    throw usageError(`${recordFile(folder)} is not valid JSON.`, 'Restore or delete the file.')
  }
}

/** Saves a promotion. */
function savePromotion(folder: string, record: PromotionRecord): void {
  makeFolder(folder)
  replaceFile(recordFile(folder), `${stringifyJson(record, null, 2)}\n`)
}

/**
 * Prevents other promotions to the same profile on this computer. Returns the function that releases it. @throws
 * ClientFailure `conflict` while another one is running
 */
export const lockPromotion = (system: System, folder: string, to: string): (() => void) =>
  lockWork(
    join(folder, 'promotion.lock'),
    system,
    (it) => `${it} is changing profile "${to}" with promote. Nothing was sent.`,
  ).release

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
  if (entry !== undefined) target.writes.historyGroup = entry
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
