import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../folder.ts'
import type { World } from '../../world.ts'
import { dataDir } from '../folders.ts'
import { isSameAccount } from '../known-accounts.ts'
import type { Action } from './kinds.ts'

type Fields = Readonly<Record<string, unknown>>

/** Something that pointed to a thing that was deleted. */
export interface Pointer {
  readonly noun: string
  readonly id: number | string
  readonly name: string | null
  readonly field: string
}

/** A thing as it was before a write, without its secrets. */
export interface Copy {
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
  readonly pointers: readonly Pointer[]
}

/** Whose copies: they are kept apart by profile and platform. */
export interface Place {
  readonly profile: string
  readonly baseUrl: string
  /** Mark of the key in use; undefined where it is not known, and nothing is left out. */
  readonly key?: string | undefined
}

/** Copies that are kept of each profile and platform at most, and for how long. */
export const most = 500
export const longest = 30 * 86_400_000

export const historyDir = (world: Pick<World, 'env' | 'home' | 'os'>): string => join(dataDir(world), 'history')

export function folderOf(world: World, { profile, baseUrl }: Place): string {
  const address = baseUrl.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]+/g, '_')
  return join(historyDir(world), `${profile}@${address.slice(0, 80)}`)
}

const fileOf = (folder: string, entry: number): string => join(folder, `${entry}.json`)

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((it) => (/^\d{1,9}\.json$/.test(it) ? [Number.parseInt(it, 10)] : []))
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

const textOf = (copy: Copy): string => `${JSON.stringify(copy)}\n`

/** Writes a new copy, whole or not at all, under the next free number. @throws Error when it cannot be kept */
export function addCopy(world: World, place: Place, draft: Omit<Copy, 'entry'>): Copy {
  const folder = folderOf(world, place)
  makeFolder(folder)
  const numbers = numbersIn(folder)
  const part = join(folder, `.${world.pid}-${Math.floor(world.random() * 1e9)}`)
  try {
    for (let entry = (numbers.at(-1) ?? 0) + 1; ; entry++) {
      const copy = { ...draft, ...(place.key !== undefined && { key: place.key }), entry }
      writeFileSync(part, textOf(copy), { mode: 0o600 })
      if (!claim(part, fileOf(folder, entry))) continue
      forget(folder, numbers, world.now() - longest, most - 1)
      return copy
    }
  } finally {
    rmSync(part, { force: true })
  }
}

/** False when another process has taken the number. */
function claim(part: string, file: string): boolean {
  try {
    linkSync(part, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // A file system without links.
    if (readCopy(file)) return false
    renameSync(part, file)
    return true
  }
}

/** Says more of a copy that is there. */
export function changeCopy(world: World, place: Place, copy: Copy): void {
  const file = fileOf(folderOf(world, place), copy.entry)
  writeFileSync(`${file}.${world.pid}`, textOf(copy), { mode: 0o600 })
  renameSync(`${file}.${world.pid}`, file)
}

export const removeCopy = (world: World, place: Place, entry: number): void => rmSync(fileOf(folderOf(world, place), entry), { force: true })

function readCopy(file: string): Copy | undefined {
  try {
    const copy = JSON.parse(readFileSync(file, 'utf8')) as Copy | null
    return typeof copy?.entry === 'number' && typeof copy.noun === 'string' && typeof copy.at === 'string' ? copy : undefined
  } catch {
    return undefined
  }
}

/** Whether a copy is of the account of the key in use, as far as is known. */
export const isOwn = (world: World, { baseUrl, key }: Place, copy: Copy): boolean =>
  copy.key === undefined || key === undefined || isSameAccount(world, baseUrl, copy.key, key)

/** Newest first, of the account in use. */
export const listCopies = (world: World, place: Place): Copy[] => allCopies(world, place).filter((it) => isOwn(world, place, it))

/** The same of every account. */
export function allCopies(world: World, place: Place): Copy[] {
  const folder = folderOf(world, place)
  const since = new Date(world.now() - longest).toISOString()
  const copies = numbersIn(folder).map((it) => readCopy(fileOf(folder, it)))
  return copies.filter((it): it is Copy => it !== undefined && it.base_url === place.baseUrl && it.at >= since).reverse()
}

export function findCopy(world: World, place: Place, entry: number): Copy | undefined {
  const copy = readCopy(fileOf(folderOf(world, place), entry))
  return copy?.base_url === place.baseUrl ? copy : undefined
}

/** Where a copy stands, for people. */
export const pathOf = (world: World, place: Place, { entry }: Pick<Copy, 'entry'>): string => fileOf(folderOf(world, place), entry)

/** Removes copies from before a moment (milliseconds since 1970), and all but the newest `left`; answers how many. Of those in order, it stops at the first that stays. */
function forget(folder: string, numbers: readonly number[], before: number, left: number): number {
  let gone = 0
  for (const [n, it] of numbers.entries()) {
    const file = fileOf(folder, it)
    const isOld = n < numbers.length - left || Date.parse(readCopy(file)?.at ?? '1970-01-01') < before
    if (!isOld) break
    rmSync(file, { force: true })
    gone++
  }
  return gone
}

/** Forgets copies of every profile that are older than a moment (milliseconds since 1970); answers how many. */
export function forgetCopies(world: World, before: number): number {
  let folders: string[]
  try {
    folders = readdirSync(historyDir(world), { withFileTypes: true }).flatMap((it) => (it.isDirectory() ? [join(historyDir(world), it.name)] : []))
  } catch {
    return 0
  }
  return folders.reduce((sum, folder) => sum + forget(folder, numbersIn(folder), before, most), 0)
}
