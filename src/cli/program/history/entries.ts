// Files of the local history: a file for each entry, in a folder for each profile and platform. Callers mask secrets before
// they add an entry. Entries of earlier versions stay readable.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { markFiles, requireFiles } from '../../../node/folder-marker.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { createFile, replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { currentKeyMark, isSameAccount } from '../connection/account-cache.ts'
import type { Context } from '../context.ts'
import type { System } from '../system.ts'

/** What a promotion does with one resource, saved before the first write. */
interface PromotedItem {
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

/**
 * The last promotion to a profile: one entry, which `promote undo` reverts. Written to that entry and to promotion.json, which
 * other versions read: fields are added and never renamed.
 */
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

/** A resource that one command changed with others, without an entry of its own. */
export interface GroupItem {
  readonly noun: string
  readonly id: number | string
  readonly name: string | null
  /** What was done with it, which an undo reverts: `stopped`. */
  readonly done: 'stopped'
}

/**
 * What one command changed in many resources. Changes with entries of their own are parts of its entry. Written to that entry,
 * which other versions read: fields are added and never renamed.
 */
export interface GroupRecord {
  readonly items: readonly GroupItem[]
  /** The platform stopped everything of the account itself, and resumes it. */
  readonly is_account?: true
  /** When the platform stopped the account; absent if its answer was lost. */
  readonly stopped_at?: string
  /** It was undone, or resumed. */
  readonly is_undone?: true
}

type Fields = Readonly<Record<string, unknown>>

/** A resource that referenced a deleted resource. */
export interface Referrer {
  /** Its kind, such as `senders`, and not the words of its commands. */
  readonly noun: string
  readonly id: number | string
  readonly name: string | null
  readonly field: string
}

/**
 * A resource before a write, without its secrets. Written to files, which earlier and later versions read, and printed by
 * `parley history`: fields are added and never renamed.
 */
export interface HistoryEntry {
  readonly entry: number
  /** ISO 8601. */
  readonly at: string
  readonly profile: string
  readonly base_url: string
  /**
   * Prefix of the API key used, because another key may belong to another account. Missing in entries of version 0.1.
   */
  readonly key?: string
  readonly noun: string
  readonly ids: Readonly<Record<string, number | string>>
  readonly name: string | null
  readonly action: Action | 'promote' | 'group'
  /** The command that made the change: `tools update`. */
  readonly command: string
  /** `open` while the write is in progress, and if the process ended during it. */
  readonly state: 'open' | 'done' | 'unknown'
  readonly request_id: string | null
  /** Null for a resource that an undo created. */
  readonly before: Fields | null
  /** The sent fields. */
  readonly sent: Fields | null
  /** The resource in the response of the write, or read back after it. */
  readonly after: Fields | null
  readonly pointers: readonly Referrer[]
  /** Texts of the resource that contain `[hidden]` themselves, and nothing that is hidden. Absent if there are none. */
  readonly literals?: readonly string[]
  /** The entry of the deletion that this creation undid. Absent in other entries. */
  readonly undoes?: number
  /** The entry of the promotion, or of the change of many resources, that made this write. Absent in other entries. */
  readonly part_of?: number
  /** The promotion of an entry with the action `promote`. */
  readonly promotion?: PromotionRecord
  /** What an entry with the action `group` changed. */
  readonly group?: GroupRecord
}

/** Noun of the entry of a promotion. Written to files: it never changes. */
export const promotionNoun = 'promotions'

/** Noun of the entry of a change of many resources. Written to files: it never changes. */
export const groupNoun = 'groups'

/** Returns the entries without those of single writes whose promotion or group has an entry. */
export function withoutParts(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const numbers = new Set(entries.map((it) => it.entry))
  return entries.filter((it) => it.part_of === undefined || !numbers.has(it.part_of))
}

/** The profile and platform that entries belong to. */
interface HistoryScope {
  readonly profile: string
  readonly baseUrl: string
  /** Prefix of the API key in use. Undefined if it is unknown; then no entry is filtered. */
  readonly key?: string | undefined
}

/** Maximum number and age of entries for each profile and platform. Help of `history list` and local-files.ts name them in texts. */
export const maxEntries = 500
export const maxAgeMs = 30 * 86_400_000

/** Returns the folder of the local history. */
export const historyDir = (system: Pick<System, 'env' | 'home' | 'os'>): string => join(dataDir(system), 'history')

/** Creates a folder in the history, or the history itself. @throws FolderIncomplete if the data folder has lost its history */
export function makeHistoryFolder(system: System, folder = historyDir(system)): void {
  requireFiles(dataDir(system), 'history')
  makeFolder(folder)
}

/** Returns the folder of one profile and platform, also for its samples. Existing history is found by its name, which never changes. */
export function scopeFolder(system: System, { profile, baseUrl }: HistoryScope): string {
  // Without a profile, its name is the base URL.
  const [name, address] = [profile, baseUrl].map((it) => it.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]+/g, '_'))
  return join(historyDir(system), `${name?.slice(0, 80)}@${address?.slice(0, 80)}`)
}

const fileOf = (folder: string, entry: number): string => join(folder, `${entry}.json`)

function listNumbers(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((it) => (/^\d{1,9}\.json$/.test(it) ? [Number.parseInt(it, 10)] : []))
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

const serialize = (copy: HistoryEntry): string => `${stringifyJson(copy)}\n`

/** Writes a new entry atomically under the next free number. @throws Error if it cannot be written */
export function addEntry(system: System, scope: HistoryScope, draft: Omit<HistoryEntry, 'entry'>): HistoryEntry {
  const folder = scopeFolder(system, scope)
  makeHistoryFolder(system, folder)
  const numbers = listNumbers(folder)
  for (let entry = (numbers.at(-1) ?? 0) + 1; ; entry++) {
    const copy = { ...draft, ...(scope.key !== undefined && { key: scope.key }), entry }
    if (!createEntry(fileOf(folder, entry), serialize(copy))) continue
    markFiles(dataDir(system), ['history'])
    purgeFolder(folder, numbers, system.now() - maxAgeMs, maxEntries - 1)
    return copy
  }
}

/** Claims the number of an entry. Returns false if another process has taken it. */
function createEntry(file: string, text: string): boolean {
  try {
    return createFile(file, text)
  } catch {
    // The file system does not support links.
    if (readEntry(file)) return false
    replaceFile(file, text)
    return true
  }
}

/** Updates an existing entry. */
export function updateEntry(system: System, scope: HistoryScope, copy: HistoryEntry): void {
  replaceFile(fileOf(scopeFolder(system, scope), copy.entry), serialize(copy))
}

/** Deletes an entry. */
export const removeEntry = (system: System, scope: HistoryScope, entry: number): void =>
  rmSync(fileOf(scopeFolder(system, scope), entry), { force: true })

function readEntry(file: string): HistoryEntry | undefined {
  try {
    const copy = parseJson(readFileSync(file, 'utf8')) as HistoryEntry | null
    return typeof copy?.entry === 'number' && typeof copy.noun === 'string' && typeof copy.at === 'string'
      ? copy
      : undefined
  } catch {
    return undefined
  }
}

/** Returns whether an entry belongs to the account of the key in use, to the extent known. */
export const isOwnEntry = (system: System, { baseUrl, key }: HistoryScope, copy: HistoryEntry): boolean =>
  copy.key === undefined || key === undefined || isSameAccount(system, baseUrl, copy.key, key)

/** Returns the entries of the account in use, newest first. */
export const listEntries = (system: System, scope: HistoryScope): HistoryEntry[] =>
  listAllEntries(system, scope).filter((it) => isOwnEntry(system, scope, it))

/** Returns the entries of every account, newest first. */
export function listAllEntries(system: System, scope: HistoryScope): HistoryEntry[] {
  requireFiles(dataDir(system), 'history')
  const folder = scopeFolder(system, scope)
  const since = new Date(system.now() - maxAgeMs).toISOString()
  const copies = listNumbers(folder).map((it) => readEntry(fileOf(folder, it)))
  return copies
    .filter((it): it is HistoryEntry => it !== undefined && it.base_url === scope.baseUrl && it.at >= since)
    .reverse()
}

/** Returns an entry by its number; undefined if it does not exist on this platform. */
export function findEntry(system: System, scope: HistoryScope, entry: number): HistoryEntry | undefined {
  requireFiles(dataDir(system), 'history')
  const copy = readEntry(fileOf(scopeFolder(system, scope), entry))
  return copy?.base_url === scope.baseUrl ? copy : undefined
}

/**
 * Deletes entries from before a time (milliseconds since 1970), and all but the newest `maxCount`. Returns their
 * number. The entries are in order, so it stops at the first one that remains.
 */
function purgeFolder(folder: string, numbers: readonly number[], beforeMs: number, maxCount: number): number {
  let removed = 0
  for (const [n, entry] of numbers.entries()) {
    const file = fileOf(folder, entry)
    const isOld = n < numbers.length - maxCount || Date.parse(readEntry(file)?.at ?? '1970-01-01') < beforeMs
    if (!isOld) break
    rmSync(file, { force: true })
    removed++
  }
  return removed
}

/** Returns the folder with copies of local files that a command overwrote. */
export const savedFilesDir = (system: System): string => join(historyDir(system), 'files')

/** Deletes copies of local files from before a time (milliseconds since 1970). */
function purgeSavedFiles(system: System, beforeMs: number): void {
  const folder = savedFilesDir(system)
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (statSync(join(folder, name)).mtimeMs < beforeMs) rmSync(join(folder, name), { force: true })
}

/** Deletes entries of every profile, and copies of files, from before a time. Returns the number of entries. */
export function purgeEntries(system: System, beforeMs: number): number {
  purgeSavedFiles(system, beforeMs)
  let folders: string[]
  try {
    folders = readdirSync(historyDir(system), { withFileTypes: true }).flatMap((folder) =>
      folder.isDirectory() ? [join(historyDir(system), folder.name)] : [],
    )
  } catch {
    return 0
  }
  return folders.reduce((sum, folder) => sum + purgeFolder(folder, listNumbers(folder), beforeMs, maxEntries), 0)
}

/** How a write changes a resource. Written to files and printed by `parley history`: they never change. */
export const actions = ['update', 'delete', 'restore', 'create'] as const

/** How a write changes a resource, as history files have it. */
export type Action = (typeof actions)[number]

/** Returns the profile and platform whose history the command uses. */
export async function historyScope(context: Context): Promise<HistoryScope> {
  const { profileName, baseUrl } = await context.settings()
  return { profile: profileName.value, baseUrl: baseUrl.value, key: await currentKeyMark(context) }
}
