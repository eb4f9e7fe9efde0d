import { isDeepStrictEqual } from 'node:util'
import { isSecretName, redactText } from '../client/redact.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * What an update changes, a line for each field: `timeout: 10 -> 20`. `sent` is what is sent; `after` what the platform answers, which may be less
 * than the whole, and wins where it says something else. Fields that `takes` does not know change nothing by being sent, only by being answered otherwise.
 * Secrets are not shown, long texts only where they differ.
 */
export function changesOf(before: Fields, sent: Fields, after: Fields = {}, takes: (name: string) => boolean = () => true): string[] {
  const given = Object.fromEntries(Object.entries(sent).filter(([name]) => takes(name)))
  return [...new Set([...Object.keys(before), ...Object.keys(given)])].flatMap((name) => {
    const isOwn = name === 'id' || name.endsWith('_at')
    if (isOwn && !Object.hasOwn(given, name)) return []
    if (!Object.hasOwn(before, name) && !Object.hasOwn(after, name)) return isSecretName(name) ? [`${name}: given, not shown`] : []
    const now = [after, given, before].find((it) => Object.hasOwn(it, name))?.[name] ?? null
    const old = before[name] ?? null
    return isDeepStrictEqual(old, now) ? [] : [`${name}: ${difference(name, old, now)}`]
  })
}

/** Fields that were sent otherwise than they are although the platform alone sets them, by name. */
export const unchangeable = (before: Fields, sent: Fields, isReadOnly: (name: string) => boolean): string[] =>
  Object.keys(sent).filter((name) => isReadOnly(name) && !isDeepStrictEqual(sent[name], before[name]) && String(sent[name]) !== String(before[name]))

function difference(name: string, old: unknown, now: unknown): string {
  if (isSecretName(name)) return now === null ? 'removed' : 'changed, not shown'
  if (Array.isArray(old ?? now) && Array.isArray(now ?? old)) return betweenLists(old as readonly unknown[] | null, now as readonly unknown[] | null)
  if (isObject(old) && isObject(now)) return betweenNamed(Object.entries(old), Object.entries(now)).join('; ')
  return typeof old === 'string' && typeof now === 'string' ? betweenTexts(redactText(old), redactText(now)) : `${shown(old)} -> ${shown(now)}`
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

function shown(value: unknown): string {
  if (value === null) return 'not set'
  if (typeof value === 'string') return quoted(redactText(value).split(/\s+/), 0, Number.POSITIVE_INFINITY)
  if (!isObject(value)) return JSON.stringify(value)
  const { length } = Object.keys(value)
  return length === 1 ? '1 field' : `${length} fields`
}

const counted = (list: readonly unknown[] | null): string => (list === null ? 'not set' : list.length === 1 ? '1 entry' : `${list.length} entries`)

function betweenLists(old: readonly unknown[] | null, now: readonly unknown[] | null): string {
  const counts = counted(old) === counted(now) ? counted(now) : `${counted(old)} -> ${counted(now)}`
  const [before, after] = [named(old ?? []), named(now ?? [])]
  if (!before || !after) return old?.length === now?.length ? `${counts}; changed` : counts
  const parts = betweenNamed(before, after)
  return [counts, ...(parts.length > 0 ? parts : ['in another order'])].join('; ')
}

/** Entries by what tells them apart; undefined when nothing does. */
function named(list: readonly unknown[]): [name: string, entry: unknown][] | undefined {
  const pairs = list.map((it): [string, unknown] => [nameOf(it), it])
  const names = new Set(pairs.map(([name]) => name))
  return names.size === pairs.length && !names.has('') ? pairs : undefined
}

function nameOf(entry: unknown): string {
  if (!isObject(entry)) return String(entry ?? '')
  const { name, key, label, link, type, id } = entry as Fields
  return String(name ?? key ?? label ?? link ?? type ?? id ?? '')
}

/** `added a, b; removed c; changed d`. */
function betweenNamed(old: readonly [string, unknown][], now: readonly [string, unknown][]): string[] {
  const [before, after] = [new Map(old), new Map(now)]
  const kinds: [string, string[]][] = [
    ['added', [...after.keys()].filter((it) => !before.has(it))],
    ['removed', [...before.keys()].filter((it) => !after.has(it))],
    ['changed', [...before.keys()].filter((it) => after.has(it) && !isDeepStrictEqual(before.get(it), after.get(it)))],
  ]
  return kinds.flatMap(([kind, names]) => (names.length > 0 ? [`${kind} ${some(names)}`] : []))
}

const most = 5
const some = (names: readonly string[]): string =>
  names
    .slice(0, most)
    .map((it) => short(redactText(it)))
    .join(', ') + (names.length > most ? ` and ${names.length - most} more` : '')

const longest = 60
const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest / 2)}…${text.slice(1 - longest / 2)}` : text)

/** Both texts where they differ: by words, or by characters where there is only one word. */
function betweenTexts(old: string, now: string): string {
  if (old === now) return 'changed, not shown'
  if (old.length <= longest && now.length <= longest) return `${JSON.stringify(old)} -> ${JSON.stringify(now)}`
  const isOneWord = !/\s/.test(`${old}${now}`)
  const [before, after] = [old, now].map((it) => (isOneWord ? [...it] : it.trim().split(/\s+/))) as [string[], string[]]
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  if (start === before.length && start === after.length) return 'spaced otherwise'
  const near = isOneWord ? 12 : 2
  const around = (tokens: string[]): string => quoted(tokens, start - near, tokens.length - end + near, isOneWord ? '' : ' ')
  return `${around(before)} -> ${around(after)}`
}

/** Part of a text in quotes, from one token to another, elided in its middle and where it is only a part. */
function quoted(tokens: readonly string[], from: number, to: number, between = ' '): string {
  const room = between === '' ? longest : 12
  const part = tokens.slice(Math.max(0, from), to)
  const middle = part.length > room ? [...part.slice(0, room / 2), '…', ...part.slice(1 - room / 2)] : part
  const ends = [from > 0 ? `…${between}` : '', to < tokens.length ? `${between}…` : '']
  return JSON.stringify(`${ends[0]}${middle.map(short).join(between)}${ends[1]}`)
}
