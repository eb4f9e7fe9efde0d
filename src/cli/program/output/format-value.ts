import { usd } from '../../../contract/values/money.ts'
import { stateText, type Tone, toneOf } from '../../../contract/values/states.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Paint } from '../terminal/color.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import type { ValueKind } from './format.ts'
import { exactTime, localTime, parseTime, relativeTime } from './time.ts'

/** Options for formatting values for people. */
export interface FormatOptions {
  readonly utc: boolean
  /** The time of the platform and of this computer, in milliseconds since 1970. */
  readonly now: number
  readonly computerNow: number
  readonly timeZone?: string
  /** `2 min ago` instead of the exact time; for lists on a terminal. */
  readonly relative: boolean
  /** Preserve line breaks, for records on a terminal. */
  readonly lines: boolean
}

function formatMoney(value: unknown): string | undefined {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof amount !== 'number' || !Number.isFinite(amount)) return undefined
  return usd(amount)
}

function formatTime(value: unknown, now: number, how: FormatOptions): string | undefined {
  const ms = typeof value === 'string' && !how.utc ? parseTime(value) : undefined
  if (ms === undefined) return undefined
  return how.relative ? (relativeTime(ms, now) ?? localTime(ms, how.timeZone)) : exactTime(ms, how.timeZone)
}

/** Formats a duration in seconds as `1:05`. */
function formatDuration(value: unknown): string | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) return undefined
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}

function formatBoolean(value: unknown): string | undefined {
  if (value === true || value === 1 || value === '1') return 'yes'
  return value === false || value === 0 || value === '0' ? 'no' : undefined
}

/** Returns whether a text is a value of an enum, not a sentence. */
const isToken = (text: string): boolean => /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/.test(text)

/** Formats a plain value. With `lines`, objects in a list get one line each; otherwise the list is JSON. */
function formatPlain(value: unknown, lines: boolean): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object' || value === null) return String(value ?? '-')
  if (!Array.isArray(value)) return stringifyJson(value)
  if (value.every((it) => typeof it !== 'object')) return value.map((it) => formatPlain(it, lines)).join(', ') || '-'
  return lines ? value.map((it) => stringifyJson(it)).join('\n') : stringifyJson(value)
}

/**
 * Formats a value for people: yes and no, `1.15 USD`, `1:05`, local times, `-` for no value. Removes control sequences. conditions.ts
 * reads the first three forms back in `--filter`, so a new form belongs there, too.
 */
export function formatValue(value: unknown, kind: ValueKind | undefined, how: FormatOptions): string {
  if (value === null || value === undefined) return '-'
  let text: string | undefined
  if (kind === 'money') text = formatMoney(value)
  else if (kind === 'time') text = formatTime(value, how.now, how)
  else if (kind === 'computer_time') text = formatTime(value, how.computerNow, how)
  else if (kind === 'bool') text = formatBoolean(value)
  else if (kind === 'duration') text = formatDuration(value)
  else if ((kind === 'status' || kind === 'choice') && typeof value === 'string' && isToken(value))
    text = stateText(value)
  text ??= formatPlain(value, how.lines)
  return how.lines ? safeText(text) : safeLine(text)
}

/** Number of texts that a formatter caches. */
const maxCachedTexts = 1000

/** Returns the function that `formatValue` is for one kind. It caches texts, because lists repeat times and statuses. */
export function createFormatter(kind: ValueKind | undefined, how: FormatOptions): (value: unknown) => string {
  if (kind === undefined || kind === 'text') return (value) => formatValue(value, kind, how)
  if (kind === 'number') return (value) => (typeof value === 'number' ? String(value) : formatValue(value, kind, how))
  const texts = new Map<unknown, string>()
  return (value) => {
    const known = texts.get(value)
    if (known !== undefined) return known
    const text = formatValue(value, kind, how)
    if (texts.size < maxCachedTexts) texts.set(value, text)
    return text
  }
}

const styles: Readonly<Record<Tone, keyof Paint>> = { good: 'green', pending: 'yellow', bad: 'red', plain: 'dim' }

/** Returns the style of a status. The word is always printed too, so that color never carries meaning alone. */
export function styleOf(status: string): keyof Paint | undefined {
  const tone = toneOf(status)
  return tone && styles[tone]
}
