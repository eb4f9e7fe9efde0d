import { isObject } from '../../../contract/values/json-object.ts'
import { looksMasked } from '../../../contract/values/mask.ts'
import { isSecretName } from '../../../contract/values/redact.ts'
import { parseJson } from '../../../node/json.ts'
import { isMasked } from '../secrets/masked-values.ts'

/**
 * Whether a read shows a value that was sent. `hidden`: the platform shows a mask, or nothing that can be compared. After a write,
 * `different` ends the command with exit code 20, and `hidden` is only noted: what wrongly counts as equal here hides that the platform
 * ignored a value.
 */
export type SentComparison = 'shown' | 'hidden' | 'different'

type Fields = Readonly<Record<string, unknown>>

/**
 * Compares a value that was sent with the value that the platform shows. A platform may complete it with defaults, and
 * write it in another form: a number as text, a time with seconds, a list in another order, `null` for an empty value.
 */
export function compareSent(sent: unknown, read: unknown): SentComparison {
  if (isEmpty(sent) && isEmpty(read)) return 'shown'
  const outcome = Array.isArray(sent)
    ? compareLists(sent, parsed(read))
    : isObject(sent)
      ? compareObjects(sent, parsed(read))
      : (isObject(read) ? Object.values(read) : [read]).some((it) => isSameText(sent, it))
        ? 'shown'
        : 'different'
  return outcome === 'different' && typeof read === 'string' && hidesValue(read) ? 'hidden' : outcome
}

/**
 * Compares the fields that were sent with a record, by name. A field that the record does not have is `hidden`; so is a
 * secret that differs, because a platform may show it in any form.
 */
export function compareSentFields(sent: Fields, record: Fields): Record<string, SentComparison> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const shown = shownValue(record, name)
      if (shown === undefined) return [name, 'hidden']
      const outcome = compareSent(value, shown)
      return [name, outcome === 'different' && isSecretName(name) ? 'hidden' : outcome]
    }),
  )
}

/** Returns the value of a field in a record. The object of a reference shows its id: `campaign` for `campaign_id`. */
export function shownValue(record: Fields, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name]
  const [, base, plural] = /^(.+)_id(s?)$/.exec(name) ?? []
  const referred = base === undefined ? undefined : record[`${base}${plural}`]
  if (Array.isArray(referred)) return referred.every(isObject) ? referred.map((it) => it.id) : undefined
  return isObject(referred) ? referred.id : undefined
}

const worst = (all: readonly SentComparison[]): SentComparison =>
  all.includes('different') ? 'different' : all.includes('hidden') ? 'hidden' : 'shown'

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

/** Compares the entries that were sent. The value of a pair such as `{key: "Authorization", value: …}` may be hidden. */
function compareObjects(sent: Fields, shown: unknown): SentComparison {
  if (!isObject(shown)) return 'different'
  const label = String(sent.name ?? sent.key ?? '')
  return worst(
    Object.entries(sent).map(([name, child]) => {
      const outcome = compareSent(child, shown[name])
      const isSecret = isSecretName(name) || (name === 'value' && isSecretName(label))
      return outcome === 'different' && isSecret ? 'hidden' : outcome
    }),
  )
}

/** Compares lists in the same order, else in any order. */
function compareLists(sent: readonly unknown[], shown: unknown): SentComparison {
  if (!Array.isArray(shown) || shown.length !== sent.length) return 'different'
  const inOrder = worst(sent.map((it, n) => compareSent(it, shown[n])))
  if (inOrder !== 'different') return inOrder
  const left = [...shown]
  return worst(
    sent.map((entry) => {
      const outcomes = left.map((one) => compareSent(entry, one))
      const at = [outcomes.indexOf('shown'), outcomes.indexOf('hidden')].find((n) => n >= 0)
      if (at === undefined) return 'different'
      left.splice(at, 1)
      return outcomes[at] as SentComparison
    }),
  )
}

/** Returns whether a text stands for a value that the platform does not show. */
const hidesValue = (text: string): boolean => isMaskedText(text) || looksMasked(text) || /[*•●∙·]{3,}/u.test(text)
const isMaskedText: (value: unknown) => boolean = isMasked

/** Returns the value of a JSON text; any other value unchanged. */
function parsed(read: unknown): unknown {
  if (typeof read !== 'string') return read
  try {
    return parseJson(read)
  } catch {
    return read
  }
}

const isSameText = (sent: unknown, read: unknown): boolean =>
  isEmpty(sent) === isEmpty(read) &&
  (isEmpty(sent) || normalizers.some((normalize) => isDefinedAndEqual(normalize(sent), normalize(read))))

const isDefinedAndEqual = (one: unknown, other: unknown): boolean => one !== undefined && one === other

/** The forms in which two values count as equal; undefined where a value has none. */
const normalizers: readonly ((value: unknown) => string | number | undefined)[] = [
  (it) => String(it).normalize('NFC').replaceAll(/\s+/g, ' ').trim(),
  (it) => (/^[-+]?\d+(\.\d+)?$/.test(String(it)) ? Number(it) : undefined),
  (it) => (it === true || it === 'true' || it === 1 || it === '1' ? 1 : undefined),
  (it) => (/^\+?[\d\s().-]{7,}$/.test(String(it)) ? String(it).replaceAll(/\D/g, '') : undefined),
  (it) => /^(\d{1,2}:\d{2})(?::00)?$/.exec(String(it))?.[1]?.padStart(5, '0'),
  timeOf,
  (it) => (typeof it === 'string' && /^https?:/i.test(it) && URL.canParse(it) ? new URL(it).href : undefined),
]

/** Returns the time of a date in milliseconds. One without a time zone is UTC, as the platform writes it. */
export function timeOf(value: unknown): number | undefined {
  const [, date, time = '00:00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[-+]\d{2}:?\d{2})?)?$/.exec(String(value)) ?? []
  const ms = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`)
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000) * 1000
}
