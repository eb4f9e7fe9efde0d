import { createHash } from 'node:crypto'
import { validate } from '../../contract/validation.ts'
import { contentOfFields } from './content.ts'
import type { Kind, Problem } from './kind.ts'
import { type Mapping, type Place, partsOf } from './mapping.ts'
import { type NumbersSeen, numbersSeen } from './numbers-seen.ts'
import { type Row, readRows, type Written } from './rows.ts'
import type { RowSource } from './source.ts'

/** What was found of all rows before any of them is sent. */
export interface Checked {
  readonly rows: number
  /** How many of them cannot be sent as they are. */
  readonly bad: number
  /** The first things that are wrong, with the line of each. */
  readonly problems: readonly (Problem & { readonly line: number })[]
  readonly isBad: (row: number) => boolean
  readonly numbers: NumbersSeen
  /** Columns, and where they go; of objects all that any had, up to some hundreds. */
  readonly columns: ReadonlyMap<string, Place>
  /** The first rows as they will be sent. */
  readonly sample: readonly Readonly<Record<string, unknown>>[]
  /** SHA-256 of the whole input. */
  readonly hash: string
}

/** How many problems are told; the rest are counted. */
export const mostTold = 20
const mostColumns = 500
const sampled = 3

export interface CheckOptions {
  readonly source: RowSource
  readonly written: Written
  readonly mapping: Mapping
  readonly kind: Kind
  readonly signal: AbortSignal
  /** Told how much has been read, 0 to 1, and how many rows. */
  readonly tell?: (part: number, rows: number) => void
}

/** Reads everything once and checks every row, in memory that grows by some 25 bytes a row. */
export async function checkRows({ source, written, mapping, kind, signal, tell = () => {} }: CheckOptions): Promise<Checked> {
  const digest = createHash('sha256')
  const numbers = numbersSeen()
  const columns = new Map<string, Place>()
  const problems: (Problem & { line: number })[] = []
  const sample: Record<string, unknown>[] = []
  const marks = rowMarks()
  const phoneOf = await phoneReader()
  let read = 0
  let bad = 0
  let known: readonly string[] | undefined
  const seen = (bytes: Uint8Array): void => {
    digest.update(bytes)
    read += bytes.length
  }
  for await (const rows of readRows(source, written, seen)) {
    if (signal.aborted) break
    for (const row of rows) {
      const places = mapping.placesOf(row.columns)
      if (row.columns !== known) {
        known = row.columns
        for (const [n, it] of row.columns.entries()) if (columns.size < mostColumns && !columns.has(it)) columns.set(it, places[n] as Place)
      }
      const { body, wrong, phone } = madeOf(row, places, kind, phoneOf)
      const first = numbers.add(phone, row.line, phone === undefined ? undefined : contentOfFields(body, kind.content))
      if (first !== undefined && !kind.allowsTwice) wrong.push(twice(kind, numbers.lineOf(first)))
      if (wrong.length > 0) {
        bad += 1
        marks.set(row.at)
        for (const it of wrong) if (problems.length < mostTold) problems.push({ line: row.line, ...it })
      } else if (sample.length < sampled) sample.push(body)
    }
    tell(source.size === 0 ? 1 : read / source.size, numbers.rows)
  }
  return { rows: numbers.rows, bad, problems, isBad: marks.has, numbers, columns, sample, hash: digest.digest('hex') }
}

const twice = (kind: Kind, line: number): Problem => ({ field: kind.phone, message: `The number stands in line ${line} already. ${kind.twice}` })

/** What is wrong with a row that was found to be bad, said again. */
export async function problemsOf(row: Row, mapping: Mapping, kind: Kind, numbers: NumbersSeen): Promise<readonly Problem[]> {
  const { wrong } = madeOf(row, mapping.placesOf(row.columns), kind, await phoneReader())
  const first = numbers.firstWith(row.at)
  return first !== row.at && !kind.allowsTwice ? [...wrong, twice(kind, numbers.lineOf(first))] : wrong
}

/** The body of a row that was found to be good. */
export function bodyOf(row: Row, mapping: Mapping, kind: Kind, numbers: NumbersSeen): Record<string, unknown> {
  const { fields, variables } = partsOf(mapping.placesOf(row.columns), row.values)
  fields[kind.phone] = numbers.numberOf(row.at)
  return kind.bodyOf(fields, variables)
}

type PhoneReader = (text: string) => string | undefined

/** Numbers as the contract reads them, without waiting for each. */
const phoneReader = async (): Promise<PhoneReader> => (await import('../../contract/phone-number.ts')).phoneNumberReader()

function madeOf(row: Row, places: readonly Place[], kind: Kind, phoneOf: PhoneReader): { body: Record<string, unknown>; wrong: Problem[]; phone?: string } {
  if (row.broken !== undefined) return { body: {}, wrong: [{ field: '', message: row.broken }] }
  const { fields, variables } = partsOf(places, row.values)
  const wrong: Problem[] = []
  const given = fields[kind.phone]
  const phone = typeof given === 'string' ? phoneOf(given) : undefined
  if (phone === undefined) wrong.push({ field: kind.phone, message: noNumber(given) })
  else fields[kind.phone] = phone
  for (const [n, value] of row.values.entries())
    if (typeof value === 'string' && value.includes('\ufffd'))
      wrong.push({ field: row.columns[n] ?? '', message: 'It has characters that are not UTF-8. Save the file as UTF-8.' })
  const body = kind.bodyOf(fields, variables)
  if (phone !== undefined) {
    // Its schema wants the number; what is wrong with that has been said.
    const checked = validate(kind.endpoint.body as never, body)
    if (!checked.ok) for (const [field, [message = '']] of Object.entries(checked.errors)) wrong.push({ field, message })
  }
  wrong.push(...kind.problemsOf(body))
  return { body, wrong, ...(phone !== undefined && { phone }) }
}

function noNumber(given: unknown): string {
  if (given === undefined) return 'The row has no number.'
  const text = String(given)
  if (/^[\d\s().-]+$/.test(text) && !/^\s*0/.test(text)) return `"${text}" has no plus sign. Write E.164: a plus sign, the country code, the number.`
  if (/^\d[.,]\d+E\+?\d+$/i.test(text)) return `"${text}" was rounded by a spreadsheet: its digits are lost. Format that column as text, and enter it again.`
  return `"${text.slice(0, 40)}" is no phone number. Write E.164: a plus sign, the country code, the number.`
}

/** One bit for each row. */
function rowMarks(): { set(row: number): void; has(row: number): boolean } {
  let bits = new Uint8Array(1024)
  return {
    set(row) {
      while (row >= bits.length * 8) {
        const more = new Uint8Array(bits.length * 2)
        more.set(bits)
        bits = more
      }
      bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7))
    },
    has: (row) => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0,
  }
}
