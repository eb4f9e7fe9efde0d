import type { InventoryNumber } from '../../../engine/ports.ts'
import { sampleRowsJson } from '../../../generated/sample-rows.ts'
import { parseJson } from '../../../node/json.ts'
import { addMonths } from '../../jobs/clock.ts'
import { toTrunkId } from '../../providers/telephony/local-voice.ts'
import type { NumberInventory } from '../../providers/telephony/number-inventory.ts'
import { orderSid } from '../../providers/telephony/number-orders.ts'
import { hashSecret, toToken } from '../../services/runtime/api-keys.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import type { Dialect, PlatformQuery } from '../../store/database/connection.ts'
import { insertRows, type StoredValue } from '../../store/database/stored-rows.ts'
import type { LoadOptions } from './load-sample-data.ts'

/** The numbers that the sample account has bought: what it searched for, and how many days ago. The first answers calls. */
export const sampleNumbers = [
  { country: 'US', contains: '415', limit: 1, days: 20 },
  { country: 'GB', contains: '20', limit: 1, days: 15 },
] as const

/** Returns the numbers that the sample account has bought from an inventory. Every inventory has them. */
export const findSampleNumbers = (
  inventory: NumberInventory,
): readonly { readonly number: InventoryNumber; readonly days: number }[] =>
  sampleNumbers.flatMap(({ days, ...wanted }) =>
    inventory.search(wanted, new Set()).map((number) => ({ number, days })),
  )

/**
 * The rows that `prepareSampleAccount` creates, without what differs between platforms. Placeholders in texts are for
 * secrets and numbers, and `[kind, n]` for a number that depends on the time. src/generate/sample-rows.ts writes them:
 * both files know the placeholders.
 */
export interface SampleRows {
  /** Id of the first key. */
  readonly key: number
  /** Labels and lengths of the secrets. Their placeholders refer to earlier secrets. */
  readonly secrets: readonly (readonly [label: string, length: number])[]
  /** Texts that the vault seals, and their contexts. */
  readonly sealed: readonly (readonly [text: string, context: string])[]
  /** Times in texts, in microseconds after the time of the platform. */
  readonly times: readonly number[]
  /** Keys of the trunks at the voice infrastructure, from which their ids follow. */
  readonly trunks: readonly string[]
  readonly tables: readonly {
    readonly name: string
    readonly columns: readonly string[]
    readonly rows: readonly (readonly SampleValue[])[]
  }[]
}

/** A value of a sample row. */
export type SampleValue = StoredValue | readonly [kind: NumberKind, n: number]

/**
 * `time`: microseconds after the time of the platform. `anchor`: day of the month of such a time. `renewal`: a month
 * after such a time. `interval`: the end of the current interval of this length in microseconds. `sms`: whether the
 * sample number with this index can send text messages.
 */
type NumberKind = 'time' | 'anchor' | 'renewal' | 'interval' | 'sms'

/** Returns the number of a sample row that depends on the time. */
export function numberAt(now: number, kind: Exclude<NumberKind, 'sms'>, n: number): number {
  if (kind === 'interval') return (Math.floor(now / n) + 1) * n
  const at = now + n
  if (kind === 'time') return at
  const anchor = new Date(at / 1000).getUTCDate()
  return kind === 'anchor' ? anchor : addMonths(at, 1, anchor)
}

/** Placeholder in a text: a letter for its kind, and an index. */
const placeholder = /⟨([a-z])(\d+)⟩/g

type Placeholders = Readonly<Record<string, (index: number) => string>>

let parsed: SampleRows | undefined

/** Returns the rows. They are parsed once, because a test suite resets its platform before each test. */
const sampleRows = (): SampleRows => (parsed ??= parseJson(sampleRowsJson) as SampleRows)

const fill = (text: string, values: Placeholders): string =>
  text.includes('⟨')
    ? text.replace(placeholder, (_, kind: string, index: string) => values[kind]?.(Number(index)) ?? '')
    : text

/**
 * Inserts the sample account from prepared rows, in the caller's transaction: the same rows as `prepareSampleAccount`,
 * without the code that checks and loads the document. Returns the first key.
 */
export async function insertSampleRows(query: PlatformQuery, dialect: Dialect, options: LoadOptions): Promise<string> {
  const { now, secret, secrets, vault, inventory } = options
  const numbers = findSampleNumbers(inventory).map(({ number }) => number)
  const { key, tables, ...known } = sampleRows()
  const made: string[] = [secret]
  const values: Placeholders = {
    s: (n) => made[n] as string,
    h: (n) => hashSecret(made[n] as string),
    u: (n) => deterministicUuid(made[n] as string),
    v: (n) => {
      const [text, context] = known.sealed[n] as readonly [string, string]
      return vault.seal(fill(text, values), context)
    },
    n: (n) => numbers[n]?.phoneNumber ?? '',
    o: (n) => orderSid(`seed-${numbers[n]?.phoneNumber}`),
    t: (n) => String(now + (known.times[n] as number)),
    k: (n) => toTrunkId(fill(known.trunks[n] as string, values)),
    r: (n) => numbers[n]?.region ?? '',
  }
  for (const [label, length] of known.secrets) made.push(secrets(fill(label, values), length))
  const toStored = (value: SampleValue): StoredValue => {
    if (typeof value === 'string') return fill(value, values)
    if (typeof value === 'number' || value === null) return value
    const [kind, n] = value
    return kind === 'sms' ? Number(numbers[n]?.smsCapable) : numberAt(now, kind, n)
  }
  for (const { name, columns, rows } of tables)
    await insertRows(
      query,
      dialect,
      { name, columns },
      rows.map((row) => row.map(toStored)),
    )
  return toToken(key, secret)
}
