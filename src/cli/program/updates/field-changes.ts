import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../contract/values/json-object.ts'
import { isSecretName, redactInput, redactText } from '../../../contract/values/redact.ts'
import { stringifyJson } from '../../../node/json.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Describes what an update changes, one line per field: `timeout: 10 -> 20`. `sent` is the request; `after` is the
 * response, which may be partial and takes precedence. Sent fields for which `accepts` is false are ignored unless the
 * response changes them. Secrets are not shown; long texts are reduced to their differences.
 *
 * Commands that compare again after a question take an empty result as "nothing has changed": what is omitted here is a change
 * without a question. Only the id and times are, which the platform sets.
 */
export function describeChanges(
  previous: Fields,
  sent: Fields,
  after: Fields = {},
  accepts: (name: string) => boolean = () => true,
): string[] {
  const given = Object.fromEntries(Object.entries(sent).filter(([name]) => accepts(name)))
  return [...new Set([...Object.keys(previous), ...Object.keys(given)])].flatMap((name) => {
    const isOwn = name === 'id' || name.endsWith('_at')
    if (isOwn && !Object.hasOwn(given, name)) return []
    if (!Object.hasOwn(previous, name) && !Object.hasOwn(after, name))
      return isSecretName(name) ? [`${name}: set (hidden)`] : []
    const now = [after, given, previous].find((it) => Object.hasOwn(it, name))?.[name] ?? null
    const old = previous[name] ?? null
    return isDeepStrictEqual(old, now) ? [] : [`${name}: ${describeChange(name, old, now)}`]
  })
}

/**
 * Describes fields that are to be set, for a question: `max_duration=300, name="Front desk"`. Secrets are not shown; long values
 * are shortened.
 */
export function describeSent(fields: Fields): string {
  const parts = Object.entries(redactInput(fields)).map(([name, value]) => `${name}=${shorten(stringifyJson(value))}`)
  const more = parts.length - maxNames
  return parts.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Returns the names of read-only fields that were sent with a different value. */
export const ignoredReadOnlyFields = (
  previous: Fields,
  sent: Fields,
  isReadOnly: (name: string) => boolean,
): string[] =>
  Object.keys(sent).filter(
    (name) =>
      isReadOnly(name) &&
      !isDeepStrictEqual(sent[name], previous[name]) &&
      String(sent[name]) !== String(previous[name]),
  )

function describeChange(name: string, old: unknown, now: unknown): string {
  if (isSecretName(name)) return now === null ? 'removed' : 'changed (hidden)'
  if (Array.isArray(old ?? now) && Array.isArray(now ?? old))
    return describeListChange(old as readonly unknown[] | null, now as readonly unknown[] | null)
  if (isObject(old) && isObject(now)) return describeEntryChanges(Object.entries(old), Object.entries(now)).join('; ')
  return typeof old === 'string' && typeof now === 'string'
    ? describeTextChange(redactText(old), redactText(now))
    : `${describeValue(old)} -> ${describeValue(now)}`
}

function describeValue(value: unknown): string {
  if (value === null) return 'not set'
  if (typeof value === 'string') return quoteExcerpt(redactText(value).split(/\s+/), 0, Number.POSITIVE_INFINITY)
  if (!isObject(value)) return stringifyJson(value)
  const { length } = Object.keys(value)
  return length === 1 ? '1 field' : `${length} fields`
}

const describeCount = (list: readonly unknown[] | null): string =>
  list === null ? 'not set' : list.length === 1 ? '1 entry' : `${list.length} entries`

function describeListChange(old: readonly unknown[] | null, now: readonly unknown[] | null): string {
  const counts =
    describeCount(old) === describeCount(now) ? describeCount(now) : `${describeCount(old)} -> ${describeCount(now)}`
  const [before, after] = [indexByName(old ?? []), indexByName(now ?? [])]
  if (!before || !after) return old?.length === now?.length ? `${counts}; changed` : counts
  const parts = describeEntryChanges(before, after)
  return [counts, ...(parts.length > 0 ? parts : ['reordered'])].join('; ')
}

/** Returns the entries by their identifying field; undefined if there is none. */
function indexByName(list: readonly unknown[]): [name: string, entry: unknown][] | undefined {
  const pairs = list.map((it): [string, unknown] => [nameOf(it), it])
  const names = new Set(pairs.map(([name]) => name))
  return names.size === pairs.length && !names.has('') ? pairs : undefined
}

function nameOf(entry: unknown): string {
  if (!isObject(entry)) return String(entry ?? '')
  const { name, key, label, link, type, id } = entry as Fields
  return String(name ?? key ?? label ?? link ?? type ?? id ?? '')
}

/** Describes added, removed and changed entries: `added a, b; removed c; changed d`. */
function describeEntryChanges(old: readonly [string, unknown][], now: readonly [string, unknown][]): string[] {
  const [before, after] = [new Map(old), new Map(now)]
  const kinds: [string, string[]][] = [
    ['added', [...after.keys()].filter((it) => !before.has(it))],
    ['removed', [...before.keys()].filter((it) => !after.has(it))],
    ['changed', [...before.keys()].filter((it) => after.has(it) && !isDeepStrictEqual(before.get(it), after.get(it)))],
  ]
  return kinds.flatMap(([kind, names]) => (names.length > 0 ? [`${kind} ${joinNames(names)}`] : []))
}

const maxNames = 5
const joinNames = (names: readonly string[]): string =>
  names
    .slice(0, maxNames)
    .map((it) => shorten(redactText(it)))
    .join(', ') + (names.length > maxNames ? ` and ${names.length - maxNames} more` : '')

const maxLength = 60
const shorten = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, maxLength / 2)}…${text.slice(1 - maxLength / 2)}` : text

/** Describes the differing parts of two texts: by words, or by characters for single words. */
function describeTextChange(old: string, now: string): string {
  if (old === now) return 'changed (hidden)'
  if (old.length <= maxLength && now.length <= maxLength) return `${stringifyJson(old)} -> ${stringifyJson(now)}`
  const isOneWord = !/\s/.test(`${old}${now}`)
  const [before, after] = [old, now].map((it) => (isOneWord ? [...it] : it.trim().split(/\s+/))) as [string[], string[]]
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  if (start === before.length && start === after.length) return 'whitespace changed'
  const contextLength = isOneWord ? 12 : 2
  const around = (tokens: string[]): string =>
    quoteExcerpt(tokens, start - contextLength, tokens.length - end + contextLength, isOneWord ? '' : ' ')
  return `${around(before)} -> ${around(after)}`
}

/** Quotes the tokens from `from` to `to`, with ellipses for omitted parts. */
function quoteExcerpt(tokens: readonly string[], from: number, to: number, between = ' '): string {
  const room = between === '' ? maxLength : 12
  const part = tokens.slice(Math.max(0, from), to)
  const middle = part.length > room ? [...part.slice(0, room / 2), '…', ...part.slice(1 - room / 2)] : part
  const ends = [from > 0 ? `…${between}` : '', to < tokens.length ? `${between}…` : '']
  return stringifyJson(`${ends[0]}${middle.map(shorten).join(between)}${ends[1]}`)
}
