import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { PromotionRecord } from '../../program/history/entries.ts'
import type { System } from '../../program/system.ts'

/** Returns the folder with the state of promotions to a profile. */
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
export function savePromotion(folder: string, record: PromotionRecord): void {
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
