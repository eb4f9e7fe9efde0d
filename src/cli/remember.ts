import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Endpoint } from '../contract/endpoint.ts'
import { makeFolder } from '../folder.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { isProfileName } from './profiles.ts'
import { cacheDir, currentFile, isDetached, listFile, outerLists, placeOf, profileFolder, type Remembered, readRemembered } from './remembered.ts'

/** Most items that are remembered of one list. */
export const most = 200

type Item = Readonly<Record<string, unknown>>
type Pair = Remembered['items'][number]

/**
 * Keeps ids and names of a list for the completion; of a list read in part, what was known beside it stays. `asked` tells within which thing it was read.
 * Failures mean not remembering.
 */
export async function remember(context: Context, list: Endpoint, items: readonly object[], whole: boolean, asked: Item = {}): Promise<void> {
  const [param] = Object.keys(list.params?.shape ?? {})
  if (param !== undefined && !Object.hasOwn(outerLists, list.name)) return
  const within = param === undefined ? undefined : Number(asked[param])
  await changed(context, list.name, (before) => {
    const found = items.flatMap((it) => toPair(it as Item)).map(([id, name]): Pair => (within === undefined ? [id, name] : [id, name, within]))
    const seen = new Set(found.map(([id]) => id))
    return [...found, ...before.filter(([id, , of]) => !seen.has(id) && !(whole && of === within))]
  })
}

/** Forgets what a deletion took away: one thing of a list, or with the whole platform everything. */
export async function forget(context: Context, endpoint: Endpoint, input: Item): Promise<void> {
  if (endpoint.name === 'platform.reset') {
    const place = await placed(context)
    if (place) attempt(() => rmSync(profileFolder(place.dir, place.profile), { recursive: true, force: true }))
    return
  }
  if (endpoint.name === 'knowledge.deleteDocument') return without('knowledge.listDocuments', input.docId)
  // A trunk is a number too, and goes by the same call.
  const lists = endpoint.name === 'numbers.release' ? ['numbers.list', 'sipTrunks.list'] : [endpoint.name.replace(/\..*$/, '.list')]
  if (Object.keys(endpoint.params?.shape ?? {}).length !== 1) return
  for (const list of lists) await without(list, input.id)
  for (const [inner, { list }] of Object.entries(outerLists))
    if (lists.includes(list)) await changed(context, inner, (before) => before.filter(([, , within]) => within !== Number(input.id)))

  function without(list: string, gone: unknown): Promise<void> {
    return changed(context, list, (before) => before.filter(([id]) => String(id) !== String(gone)))
  }
}

/** Notes which profile is in use now, and forgets what is known of those that are another platform or gone. */
export function noteProfiles({ env, os, pid }: Pick<World, 'env' | 'os' | 'pid'>, current: string, others: readonly string[]): void {
  const dir = cacheDir(env, os)
  if (!dir) return
  for (const it of others.filter(isProfileName)) attempt(() => rmSync(profileFolder(dir, it), { recursive: true, force: true }))
  write(currentFile(dir), `${current}\n`, pid)
}

async function changed(context: Context, list: string, change: (before: readonly Pair[]) => readonly Pair[]): Promise<void> {
  const place = await placed(context)
  if (!place) return
  const file = listFile(place.dir, place.profile, list)
  const known = readRemembered(file)
  const of = placeOf(context.world.env)
  const before = known?.of === of ? known.items : []
  const items = change(before).slice(0, most)
  if (items.length > 0 || known) write(file, JSON.stringify({ of, items }), context.world.pid)
}

/** Where things of this run's profile are kept; undefined when its address or key is not the profile's own. */
async function placed({ world, globals, settings }: Context): Promise<{ readonly dir: string; readonly profile: string } | undefined> {
  const dir = cacheDir(world.env, world.os)
  if (!dir || isDetached(world.env, globals.baseUrl)) return undefined
  const { value, from } = (await settings()).profileName
  if (!isProfileName(value)) return undefined
  if (from === 'profile use' || from === 'built-in') write(currentFile(dir), `${value}\n`, world.pid)
  return { dir, profile: value }
}

/** What people call it: a name that says which one it is before one that they made up. */
function toPair(item: Item): Pair[] {
  const { id, name, nickname, phone_number: phone } = item
  if (typeof id !== 'number' && typeof id !== 'string') return []
  const called = [name, typeof phone === 'string' && phone.startsWith('+') ? phone : undefined, nickname, phone].find(
    (it) => typeof it === 'string' && it !== '',
  )
  return [[id, String(called ?? '').slice(0, 100)]]
}

/** Writes a file whole, when it says something new. */
function write(file: string, text: string, pid: number): void {
  attempt(() => {
    if (read(file) === text) return
    makeFolder(dirname(file))
    const draft = `${file}.${pid}`
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, file)
  })
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Nothing depends on what is remembered. */
function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // Nowhere to keep it: the completion offers less.
  }
}
