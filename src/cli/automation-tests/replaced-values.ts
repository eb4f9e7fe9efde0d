import { isObject } from '../../contract/values/json-object.ts'
import { stringifyJson } from '../../node/json.ts'

/** Maximum number of replaced values that are tried. */
const maxTried = 30

/** Returns the value at a path such as `payload.body.phone`; undefined if there is none. */
export const valueAt = (root: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((it, name) => {
    if (Array.isArray(it)) return it[Number(name)]
    return isObject(it) && Object.hasOwn(it, name) ? it[name] : undefined
  }, root)

/** Returns the paths at which two values of the same form differ. */
function differentPaths(before: unknown, after: unknown, path: readonly string[] = []): string[][] {
  const isNested = (Array.isArray(before) && Array.isArray(after)) || (isObject(before) && isObject(after))
  if (!isNested) return stringifyJson(before) === stringifyJson(after) ? [] : [[...path]]
  return Object.keys(before as object).flatMap((name) =>
    differentPaths((before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name], [
      ...path,
      name,
    ]),
  )
}

/** Returns a copy with the value of another at a path. */
function withValueOf(after: unknown, before: unknown, path: readonly string[]): unknown {
  const copy = structuredClone(after)
  let [to, from] = [copy as Record<string, unknown>, before as Record<string, unknown>]
  for (const name of path.slice(0, -1))
    [to, from] = [to[name] as Record<string, unknown>, from[name] as Record<string, unknown>]
  const last = path.at(-1) as string
  to[last] = from[last]
  return copy
}

/** Returns the paths of replaced values that make a run fail again when one of them is the recorded one. */
export async function valuesThatFail<T extends object>(
  recorded: T,
  replaced: T,
  fails: (it: T) => Promise<boolean>,
): Promise<string[]> {
  const found: string[] = []
  for (const path of differentPaths(recorded, replaced).slice(0, maxTried))
    if (await fails(withValueOf(replaced, recorded, path) as T)) found.push(path.join('.'))
  return found
}
