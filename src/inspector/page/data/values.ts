import { formatDuration } from '../../../contract/values/duration.ts'
import { amountText as formattedAmount, type MoneyUnit } from '../../../contract/values/money.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'

/** Returns the formatted value at a JSON pointer, or a plain text of the raw value. */
export function shownAt(
  answer: { readonly body: unknown; readonly shown: Readonly<Record<string, string>> },
  pointer: string,
): string {
  const shown = answer.shown[pointer]
  if (shown !== undefined) return shown
  let value: unknown = answer.body
  for (const part of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | null | undefined)?.[part]
  return plainText(value)
}

/** Returns a text for any value: an ISO time is shortened, an object becomes JSON, nothing becomes a dash. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return stringifyJson(value)
  const text = String(value)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? dateTime(text) : text
}

const two = (n: number): string => String(n).padStart(2, '0')

/** Returns a time in the local zone, as the terminal prints it: `2026-11-22 14:03:07 +01:00`. */
export function dateTime(iso: string): string {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? iso : `${localDate(at)} ${clockTime(iso)} ${zoneOf(at)}`
}

/** Returns a time in UTC without a zone, `2026-11-22 14:03:07`, in ISO form. */
export const utcToIso = (time: string): string => `${time.replace(' ', 'T')}Z`

/** Returns the offset of the local zone at a time: `+01:00`. */
export function zoneOf(at: Date): string {
  const minutes = -at.getTimezoneOffset()
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

const localDate = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`

/** Returns the day of a time in the local zone: `2026-11-22`. */
export const dayOf = (iso: string): string => localDate(new Date(iso))

/** Returns the time of day in the local zone: `14:03:07`. */
export function clockTime(iso: string): string {
  const at = new Date(iso)
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** Returns how far a time is from another: `in 3 d`, `12 min ago`, `now`. */
export function relativeTime(iso: string, nowMs: number): string {
  const distance = new Date(iso).getTime() - nowMs
  for (const [unit, ms] of units)
    if (Math.abs(distance) >= ms) {
      const amount = `${Math.floor(Math.abs(distance) / ms)} ${unit}`
      return distance > 0 ? `in ${amount}` : `${amount} ago`
    }
  return 'now'
}

/** Returns milliseconds as text: `850 ms`, `12.3 s`, `4 min 5 s`, `8 h 12 min`. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms / 1000)
}

/** Returns a token as words: `in_progress` becomes `in progress`. */
export { stateText as words } from '../../../contract/values/states.ts'

/** Returns JSON with indentation; texts that are JSON themselves are indented, too. */
export function prettyJson(value: unknown): string {
  if (typeof value === 'string') {
    try {
      return stringifyJson(parseJson(value), null, 2)
    } catch {
      return value
    }
  }
  return stringifyJson(value ?? null, null, 2)
}

/** Adds the unit to an amount that the server did not format: `1.30 USD`, `12.50 minutes`. */
export const amountText = (text: string, unit: MoneyUnit): string =>
  /^-?\d+(\.\d+)?$/.test(text) ? formattedAmount(Number(text), unit) : text

/** Returns a text that begins with a capital letter. */
export const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
