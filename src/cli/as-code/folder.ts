import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ClientFailure } from '../../client/failure.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import { user } from '../../contract/user.ts'
import type { Known } from '../before.ts'
import type { Context } from '../context.ts'
import { readDocument } from '../options.ts'
import { compare, type Item, type Remote, type Side, type Standing } from './compare.ts'
import type { AsCode } from './kind.ts'
import { Lock, type Synced } from './lock.ts'
import { isListMissing } from './missing-list.ts'
import { namesIn } from './named-content.ts'
import { Names } from './names.ts'
import { rotated, veiled, withReferences } from './secrets.ts'

/** A thing of the platform, with what it shows in the clear. */
export interface Live extends Remote {
  /** What a file would hold, with ids and secrets. */
  readonly raw: Known
}

/** A file and its thing, and which kind they are of. */
export interface Entry extends Item<Live> {
  readonly kind: AsCode
  /** Fields in which the two differ. */
  readonly fields: readonly string[]
}

/** Files below a folder, what a platform has, and what both were when they were last the same. */
export interface Compared {
  readonly folder: string
  readonly lock: Lock
  readonly names: Names
  readonly entries: readonly Entry[]
}

/** Which kinds stand in which folders below the one that is given: `''` for that one itself. */
export type Layout = readonly (readonly [below: string, kind: AsCode])[]

export const folderAt = ({ world }: Context, given: unknown, usual: string): string => resolve(world.cwd, typeof given === 'string' ? given : usual)

/** `needsAll`: a kind that has files and whose list cannot be read stops the command; otherwise it is skipped with a warning. */
export async function compareFolder(context: Context, folder: string, layout: Layout, needsAll = false): Promise<Compared> {
  const names = new Names(context)
  const entries: Entry[] = []
  // Every file is read before anything is asked.
  const files = new Map<AsCode, Map<string, Known>>()
  for (const [below, kind] of layout) files.set(kind, await documentsIn(context, folder, below, kind))
  const lock = new Lock(folder, await accountOf(context), context.world.pid)
  for (const [below, kind] of layout) {
    const here = new Map<string, Side>()
    for (const [file, document] of files.get(kind) ?? []) here.set(file, await sideOf(await namesIn(names, kind, document)))
    let listed: readonly Known[]
    try {
      listed = await kind.all(context)
    } catch (error) {
      // Writing needs the list; where only files are compared and made, those of this kind are left alone.
      if (!isListMissing(error) || (needsAll && here.size > 0)) throw error
      await context.notes.warn(`The ${kind.noun} could not be read (${error.message}), so their files were left alone.`)
      continue
    }
    const remotes: Live[] = []
    for (const it of listed) remotes.push(await liveOf(names, kind, it))
    const items = compare(here, remotes, lock.below(below), (remote, taken) => fileFor(below, kind, remote, taken), agrees)
    entries.push(...items.map((it) => withFields(it, kind, lock, context)))
  }
  return { folder, lock, names, entries }
}

/** What tells accounts of one platform apart: ids of one mean nothing in another. The address alone where nobody says whose the key is. */
async function accountOf(context: Context): Promise<string> {
  const { baseUrl } = await context.settings()
  const { contentHash } = await import('../../automation/definition/publish.ts')
  try {
    const { email } = await context.call(user.me, {})
    return typeof email === 'string' ? `${baseUrl.value}#${contentHash(email as never).slice(0, 8)}` : baseUrl.value
  } catch (error) {
    if ((error as ClientFailure).status !== 403 && (error as ClientFailure).status !== 404) throw error
    return baseUrl.value
  }
}

/** A thing as a file would have it. */
export async function liveOf(names: Names, kind: AsCode, raw: Known): Promise<Live> {
  const content = kind.content(raw)
  const { name } = content
  // Told as an answer that is not as documented.
  if (typeof name !== 'string' || name === '' || (typeof raw.id !== 'number' && typeof raw.id !== 'string'))
    throw new TypeError(`a ${kind.thing} without a name or an id`)
  return { ...(await sideOf(await namesIn(names, kind, withReferences(content, name)))), id: raw.id, name, raw: content }
}

async function sideOf(content: Known): Promise<Side> {
  const { contentHash } = await import('../../automation/definition/publish.ts')
  return { content, hash: contentHash(veiled(content) as AutomationNode) }
}

/** A secret that was changed in the environment alone makes a file one that was changed. */
function withFields(it: Item<Live>, kind: AsCode, lock: Lock, { world: { env } }: Context): Entry {
  const synced = lock.of(it.from ?? it.file)
  const secrets = it.here && it.there ? rotated(it.here.content, it.there.raw, env).map((path) => path.split('.', 1)[0] as string) : []
  const fields = it.here && it.there && it.standing !== 'same' ? differing(it.here.content, it.there.content, synced && (synced.omits ?? [])) : []
  const all = [...new Set([...fields, ...secrets])]
  return { ...it, kind, standing: standingIn(it, all), fields: all }
}

function standingIn({ standing, here, there }: Item<Live>, fields: readonly string[]): Standing {
  if (!here || !there) return standing
  if (fields.length > 0) return standing === 'same' ? 'changed here' : standing
  // The file says what is there. Whatever else was changed is in fields that it does not have.
  return standing === 'changed here' ? 'same' : standing === 'conflict' ? 'changed there' : standing
}

const textOf = (it: unknown): string => JSON.stringify(veiled(it)) ?? ''

/** Fields that are not the same on both sides, whatever secrets are called; without those that a file never had. */
function differing(here: Known, there: Known, omits: readonly string[] = Object.keys(there)): string[] {
  const isOmitted = (name: string): boolean => !Object.hasOwn(here, name) && omits.includes(name)
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].filter((name) => !isOmitted(name) && textOf(here[name]) !== textOf(there[name]))
}

/** Whether a file says of a thing what it is, though not everything. */
const agrees = (here: Side, there: Live): boolean => differing(here.content, there.content).length === 0

/** Remembers files that were renamed by what they are called now. */
export function followRenames({ entries, lock }: Pick<Compared, 'entries' | 'lock'>): void {
  for (const { file, from } of entries) if (from !== undefined) lock.move(from, file)
}

/** What is to be remembered of a file and its thing that are the same now. */
export function syncedOf(here: Side, there: Live): Synced {
  const omits = Object.keys(there.content).filter((name) => !Object.hasOwn(here.content, name))
  return { id: there.id, here: here.hash, there: there.hash, ...(omits.length > 0 && { omits }) }
}

async function documentsIn(context: Context, folder: string, below: string, kind: AsCode): Promise<Map<string, Known>> {
  const found = new Map<string, Known>()
  const path = join(folder, below)
  for (const name of existsSync(path) ? readdirSync(path).sort() : []) {
    if (!/\.ya?ml$/.test(name)) continue
    const file = join(path, name)
    const document = (await readDocument(context.world, file, kind.document, file)) as Known
    found.set(below === '' ? name : `${below}/${name}`, await kind.normal(document, file))
  }
  return found
}

function fileFor(below: string, { thing }: AsCode, { name, id }: Live, taken: ReadonlySet<string>): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const path = below === '' ? '' : `${below}/`
  const file = `${path}${slug || thing}.yaml`
  return taken.has(file) ? `${path}${slug || thing}-${String(id).slice(0, 6)}.yaml` : file
}
