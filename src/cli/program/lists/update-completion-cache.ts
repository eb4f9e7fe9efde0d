import { rmSync } from 'node:fs'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { stringifyJson } from '../../../node/json.ts'
import { isProfileName } from '../configuration/profiles.ts'
import { settingSources } from '../configuration/setting-origins.ts'
import type { Context } from '../context.ts'
import { parentLists } from '../resources/registry.ts'
import {
  type CachedList,
  cacheDir,
  cachedListFile,
  cacheScope,
  currentProfileFile,
  ignoreErrors,
  overridesProfile,
  profileCacheDir,
  readCachedList,
  writeIfChanged,
} from './completion-cache.ts'

/** Maximum number of cached items of one list. */
const maxCachedItems = 200

type Item = Readonly<Record<string, unknown>>
type CachedItem = CachedList['items'][number]

/**
 * Caches ids and names of a list for completion. If it was read in part, other cached items are preserved. `input`
 * names the parent resource. Never fails.
 */
export async function cacheList(
  context: Context,
  list: Endpoint,
  items: readonly object[],
  isComplete: boolean,
  input: Item = {},
): Promise<void> {
  const [param] = Object.keys(list.params?.shape ?? {})
  if (param !== undefined && !Object.hasOwn(parentLists(), list.name)) return
  const within = param === undefined ? undefined : Number(input[param])
  await updateCachedList(context, list.name, (cached) => {
    const found = items
      .flatMap((it) => toCachedItem(it as Item))
      .map(([id, name]): CachedItem => (within === undefined ? [id, name] : [id, name, within]))
    const seen = new Set(found.map(([id]) => id))
    return [...found, ...cached.filter(([id, , of]) => !seen.has(id) && !(isComplete && of === within))]
  })
}

/** Removes deleted resources from the cache: one item, or everything after a reset of the platform. */
export async function evictDeleted(context: Context, endpoint: Endpoint, input: Item): Promise<void> {
  if (endpoint.name === 'platform.reset') {
    const cache = await findProfileCacheDir(context)
    if (cache) ignoreErrors(() => rmSync(profileCacheDir(cache.dir, cache.profile), { recursive: true, force: true }))
    return
  }
  if (endpoint.name === 'knowledge.deleteDocument') return removeItem('knowledge.listDocuments', input.docId)
  // A SIP trunk is released with the same endpoint as a number.
  const lists =
    endpoint.name === 'numbers.release' ? ['numbers.list', 'sipTrunks.list'] : [endpoint.name.replace(/\..*$/, '.list')]
  if (Object.keys(endpoint.params?.shape ?? {}).length !== 1) return
  for (const list of lists) await removeItem(list, input.id)
  for (const [inner, { list }] of Object.entries(parentLists()))
    if (lists.includes(list))
      await updateCachedList(context, inner, (cached) =>
        cached.filter(([, , within]) => String(within) !== String(input.id)),
      )

  function removeItem(list: string, gone: unknown): Promise<void> {
    return updateCachedList(context, list, (cached) => cached.filter(([id]) => String(id) !== String(gone)))
  }
}

async function updateCachedList(
  context: Context,
  list: string,
  change: (cached: readonly CachedItem[]) => readonly CachedItem[],
): Promise<void> {
  const cache = await findProfileCacheDir(context)
  if (!cache) return
  const file = cachedListFile(cache.dir, cache.profile, list)
  const known = readCachedList(file)
  const of = cacheScope(context.system.env)
  const cached = known?.of === of ? known.items : []
  const items = change(cached).slice(0, maxCachedItems)
  if (items.length > 0 || known) writeIfChanged(file, stringifyJson({ of, items }))
}

/** Returns the cache of the profile in use; undefined if its address or key is overridden. */
async function findProfileCacheDir({
  system,
  globals,
  settings,
}: Context): Promise<{ readonly dir: string; readonly profile: string } | undefined> {
  const dir = cacheDir(system.env, system.os)
  if (!dir || overridesProfile(system.env, globals.baseUrl)) return undefined
  const { value, from } = (await settings()).profileName
  if (!isProfileName(value)) return undefined
  if (from === settingSources.profileUse || from === settingSources.builtIn)
    writeIfChanged(currentProfileFile(dir), `${value}\n`)
  return { dir, profile: value }
}

/** Returns the id and display name of an item. A name or phone number takes precedence over a nickname. */
function toCachedItem(item: Item): CachedItem[] {
  const { name, nickname, phone_number: phone } = item
  const id = typeof item.id === 'bigint' ? String(item.id) : item.id
  if (typeof id !== 'number' && typeof id !== 'string') return []
  const itemName = [name, typeof phone === 'string' && phone.startsWith('+') ? phone : undefined, nickname, phone].find(
    (it) => typeof it === 'string' && it !== '',
  )
  return [[id, String(itemName ?? '').slice(0, 100)]]
}
