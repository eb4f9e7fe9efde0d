import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../node/make-folder.ts'
import type { System } from '../../system.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { isSameAccount } from '../connection/account-cache.ts'
import type { Action } from './history-kinds.ts'

type Fields = Readonly<Record<string, unknown>>

/** Something that pointed to a thing that was deleted. */
export interface Referrer {
  readonly noun: string
  readonly id: number | string
  readonly name: string | null
  readonly field: string
}

/** A thing as it was before a write, without its secrets. */
export interface HistoryEntry {
  readonly entry: number
  /** ISO 8601. */
  readonly at: string
  readonly profile: string
  readonly base_url: string
  /** Mark of the key it was made with: another key may be another account. Absent in copies of version 0.1. */
  readonly key?: string
  readonly noun: string
  readonly ids: Readonly<Record<string, number | string>>
  readonly name: string | null
  readonly action: Action
  /** The command that did it: `tools update`. */
  readonly command: string
  /** `open` while the write is under way, and where the process was ended in it. */
  readonly state: 'open' | 'done' | 'unknown'
  readonly request_id: string | null
  /** Null for what an undo made. */
  readonly before: Fields | null
  /** What was sent. */
  readonly sent: Fields | null
  /** What the write answered of the thing, or what was read right after. */
  readonly after: Fields | null
  readonly pointers: readonly Referrer[]
}

/** Whose copies: they are kept apart by profile and platform. */
export interface HistoryScope {
  readonly profile: string
  readonly baseUrl: string
  /** Mark of the key in use; undefined where it is not known, and nothing is left out. */
  readonly key?: string | undefined
}

/** Copies that are kept of each profile and platform at most, and for how long. */
export const maxEntries = 500
export const maxAgeMs = 30 * 86_400_000

export const historyDir = (world: Pick<System, 'env' | 'home' | 'os'>): string => join(dataDir(world), 'history')

export function scopeFolder(world: System, { profile, baseUrl }: HistoryScope): string {
  const address = baseUrl.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]+/g, '_')
  return join(historyDir(world), `${profile}@${address.slice(0, 80)}`)
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

const serialize = (copy: HistoryEntry): string => `${JSON.stringify(copy)}\n`

/** Writes a new copy, whole or not at all, under the next free number. @throws Error when it cannot be kept */
export function addEntry(world: System, scope: HistoryScope, draft: Omit<HistoryEntry, 'entry'>): HistoryEntry {
  const folder = scopeFolder(world, scope)
  makeFolder(folder)
  const numbers = listNumbers(folder)
  const part = join(folder, `.${world.pid}-${Math.floor(world.random() * 1e9)}`)
  try {
    for (let entry = (numbers.at(-1) ?? 0) + 1; ; entry++) {
      const copy = { ...draft, ...(scope.key !== undefined && { key: scope.key }), entry }
      writeFileSync(part, serialize(copy), { mode: 0o600 })
      if (!claimNumber(part, fileOf(folder, entry))) continue
      purgeFolder(folder, numbers, world.now() - maxAgeMs, maxEntries - 1)
      return copy
    }
  } finally {
    rmSync(part, { force: true })
  }
}

/** False when another process has taken the number. */
function claimNumber(part: string, file: string): boolean {
  try {
    linkSync(part, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // A file system without links.
    if (readEntry(file)) return false
    renameSync(part, file)
    return true
  }
}

/** Says more of a copy that is there. */
export function updateEntry(world: System, scope: HistoryScope, copy: HistoryEntry): void {
  const file = fileOf(scopeFolder(world, scope), copy.entry)
  writeFileSync(`${file}.${world.pid}`, serialize(copy), { mode: 0o600 })
  renameSync(`${file}.${world.pid}`, file)
}

export const removeEntry = (world: System, scope: HistoryScope, entry: number): void =>
  rmSync(fileOf(scopeFolder(world, scope), entry), { force: true })

function readEntry(file: string): HistoryEntry | undefined {
  try {
    const copy = JSON.parse(readFileSync(file, 'utf8')) as HistoryEntry | null
    return typeof copy?.entry === 'number' && typeof copy.noun === 'string' && typeof copy.at === 'string'
      ? copy
      : undefined
  } catch {
    return undefined
  }
}

/** Whether a copy is of the account of the key in use, as far as is known. */
export const isOwnEntry = (world: System, { baseUrl, key }: HistoryScope, copy: HistoryEntry): boolean =>
  copy.key === undefined || key === undefined || isSameAccount(world, baseUrl, copy.key, key)

/** Newest first, of the account in use. */
export const listEntries = (world: System, scope: HistoryScope): HistoryEntry[] =>
  listAllEntries(world, scope).filter((it) => isOwnEntry(world, scope, it))

/** The same of every account. */
export function listAllEntries(world: System, scope: HistoryScope): HistoryEntry[] {
  const folder = scopeFolder(world, scope)
  const since = new Date(world.now() - maxAgeMs).toISOString()
  const copies = listNumbers(folder).map((it) => readEntry(fileOf(folder, it)))
  return copies
    .filter((it): it is HistoryEntry => it !== undefined && it.base_url === scope.baseUrl && it.at >= since)
    .reverse()
}

export function findEntry(world: System, scope: HistoryScope, entry: number): HistoryEntry | undefined {
  const copy = readEntry(fileOf(scopeFolder(world, scope), entry))
  return copy?.base_url === scope.baseUrl ? copy : undefined
}

/** Where a copy stands, for people. */
export const entryPath = (world: System, scope: HistoryScope, { entry }: Pick<HistoryEntry, 'entry'>): string =>
  fileOf(scopeFolder(world, scope), entry)

/** Removes copies from before a moment (milliseconds since 1970), and all but the newest `left`; answers how many. Of those in order, it stops at the first that stays. */
function purgeFolder(folder: string, numbers: readonly number[], beforeMs: number, maxCount: number): number {
  let removed = 0
  for (const [n, it] of numbers.entries()) {
    const file = fileOf(folder, it)
    const isOld = n < numbers.length - maxCount || Date.parse(readEntry(file)?.at ?? '1970-01-01') < beforeMs
    if (!isOld) break
    rmSync(file, { force: true })
    removed++
  }
  return removed
}

/** Forgets copies of every profile that are older than a moment (milliseconds since 1970); answers how many. */
export function purgeEntries(world: System, beforeMs: number): number {
  let folders: string[]
  try {
    folders = readdirSync(historyDir(world), { withFileTypes: true }).flatMap((it) =>
      it.isDirectory() ? [join(historyDir(world), it.name)] : [],
    )
  } catch {
    return 0
  }
  return folders.reduce((sum, folder) => sum + purgeFolder(folder, listNumbers(folder), beforeMs, maxEntries), 0)
}
