import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../contract/values/json-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** A value that both sides changed in different ways. A missing value is undefined. */
export interface MergeConflict {
  /** `timeout`, `headers.X-Key.value`. Entries of lists are named. */
  readonly path: string
  readonly base: unknown
  readonly theirs: unknown
  readonly mine: unknown
}

/** The result of merging two changes of one record. */
export interface RecordMerge {
  /**
   * Both sets of changes. A conflict has the value of the preferred side. Callers ask about conflicts only: the rest is sent without
   * a question.
   */
  readonly merged: Fields
  readonly conflicts: readonly MergeConflict[]
  /** Changes of the other side that `merged` has and `mine` does not. */
  readonly adopted: readonly Omit<MergeConflict, 'mine'>[]
}

interface MergeOptions {
  /** Whether two values count as equal (default: deep equality, where null is a missing value). */
  readonly isSame?: (one: unknown, other: unknown) => boolean
  /** Whether the value at a path is merged as a whole, so that two changes of its parts are a conflict. */
  readonly isWhole?: (path: string) => boolean
  /** The side whose value `merged` has at a conflict (default: `mine`). */
  readonly prefers?: 'mine' | 'theirs'
}

/** Fields that name the entries of a list. */
const namingFields = ['name', 'key', 'slug', 'link', 'label', 'id', 'type'] as const

const isSameValue = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one ?? null, other ?? null)

/**
 * Merges two changes of a record, field by field. Objects are merged by their fields, and lists by the names of their
 * entries; a list whose entries have no unique names is one value. Two different changes of one value are a conflict.
 */
export function mergeRecords(base: Fields, mine: Fields, theirs: Fields, options: MergeOptions = {}): RecordMerge {
  const { isSame = isSameValue, isWhole = () => false, prefers = 'mine' } = options
  const conflicts: MergeConflict[] = []
  const adopted: Omit<MergeConflict, 'mine'>[] = []

  function mergeValue({ path, base, theirs, mine }: MergeConflict): unknown {
    if (isSame(theirs, base)) return mine
    if (isSame(mine, base)) {
      adopted.push({ path, base, theirs })
      return theirs
    }
    if (isSame(mine, theirs)) return mine
    if (!isWhole(path)) {
      if (isObject(base) && isObject(mine) && isObject(theirs)) return mergeFields(path, base, mine, theirs)
      const lists = [base ?? [], mine, theirs]
      if (lists.every((it) => Array.isArray(it))) {
        const merged = mergeLists(path, lists as [unknown[], unknown[], unknown[]])
        if (merged) return merged
      }
    }
    conflicts.push({ path, base, theirs, mine })
    return prefers === 'mine' ? mine : theirs
  }

  function mergeFields(path: string, base: Fields, mine: Fields, theirs: Fields): Fields {
    const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)])]
    const entries = names.map((name): [string, unknown] => {
      const at = path === '' ? name : `${path}.${name}`
      return [name, mergeValue({ path: at, base: own(base, name), theirs: own(theirs, name), mine: own(mine, name) })]
    })
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }

  /** Merges lists by the names of their entries; undefined if these are not unique, or if both sides changed the order. */
  function mergeLists(path: string, [base, mine, theirs]: [unknown[], unknown[], unknown[]]): unknown[] | undefined {
    const all = [...base, ...mine, ...theirs]
    const nameOf = entryNamer(all)
    const indexes = nameOf && [base, mine, theirs].map((list) => new Map(list.map((it) => [nameOf(it), it])))
    if (!indexes || indexes.some((it, n) => it.size !== [base, mine, theirs][n]?.length)) return undefined
    const [before, ours, others] = indexes as [Map<string, unknown>, Map<string, unknown>, Map<string, unknown>]
    const orders = [before, ours, others].map((order) =>
      [...order.keys()].filter((name) => before.has(name) && ours.has(name) && others.has(name)),
    ) as [string[], string[], string[]]
    const isTheirOrder = isDeepStrictEqual(orders[1], orders[0])
    if (!isTheirOrder && !isDeepStrictEqual(orders[2], orders[0]) && !isDeepStrictEqual(orders[1], orders[2]))
      return undefined
    const merged = new Map<string, unknown>()
    for (const name of new Set([...ours.keys(), ...others.keys(), ...before.keys()])) {
      const given = { base: before.get(name), theirs: others.get(name), mine: ours.get(name) }
      const value = mergeValue({ path: `${path}.${name}`, ...given })
      if (value !== undefined) merged.set(name, value)
    }
    const [first, second] = isTheirOrder ? [others, ours] : [ours, others]
    return placeNames([...first.keys()], [...second.keys()], merged).map((name) => merged.get(name))
  }

  return { merged: mergeFields('', base, mine, theirs), conflicts, adopted }
}

const own = (record: Fields, name: string): unknown => (Object.hasOwn(record, name) ? record[name] : undefined)

/** Returns a function for the name of an entry; undefined if the entries have none. */
function entryNamer(entries: readonly unknown[]): ((entry: unknown) => string) | undefined {
  if (entries.every((it) => typeof it === 'string' || typeof it === 'number')) return String
  if (!entries.every(isObject)) return undefined
  const field = namingFields.find((name) =>
    entries.every((it) => typeof (it as Fields)[name] === 'string' || typeof (it as Fields)[name] === 'number'),
  )
  return field && ((it) => String((it as Fields)[field]))
}

/** Returns the names that are in `merged`, in the order of `first`. A name of `second` alone follows its predecessor there. */
function placeNames(
  first: readonly string[],
  second: readonly string[],
  merged: ReadonlyMap<string, unknown>,
): readonly string[] {
  const placed = first.filter((name) => merged.has(name))
  let at = 0
  for (const name of second.filter((it) => merged.has(it))) {
    const found = placed.indexOf(name)
    if (found >= 0) at = found + 1
    else placed.splice(at++, 0, name)
  }
  return placed
}
