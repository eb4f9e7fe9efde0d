import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { System } from '../../program/system.ts'
import type { ResourceRecord } from '../../program/updates/previous-record.ts'

/** What a promotion does with one resource, saved before the first write. */
export interface PromotedItem {
  readonly kind: string
  readonly name: string
  readonly action: 'create' | 'update'
  /** Fields that it changes. */
  readonly fields: readonly string[]
  /** Content before an update, with references instead of secrets. */
  readonly before: ResourceRecord | null
  /** Content of the promotion before, with which changes were merged. An undo restores it too. */
  readonly base?: ResourceRecord
}

/** The last promotion to a profile: one entry, which `promote undo` reverts. */
export interface PromotionRecord {
  readonly from: string
  readonly to: string
  readonly base_url: string
  readonly at: string
  /** `open`: not finished. The same command resumes it. */
  readonly state: 'open' | 'done' | 'undone'
  /** Number of the history entry in the target profile. Undefined if there is none. */
  readonly entry?: number
  readonly items: Readonly<Record<string, PromotedItem>>
}

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
