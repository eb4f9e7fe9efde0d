import { createHash } from 'node:crypto'
import { isAnyMask, isMask } from '../../../../client/requests/require-no-masks.ts'
import { validate } from '../../../../contract/endpoint/validation.ts'
import { findMasks } from '../../../../contract/values/mask.ts'
import { loadPhoneNumberParser } from '../../../../contract/values/phone-number.ts'
import { canonicalJson } from '../../../../node/canonical-json.ts'
import { isLargeId } from '../../../program/input/ids.ts'
import { describeInvalidNumber, plainNumber } from '../../../program/input/phone-number.ts'
import type { BulkJob, CheckResult } from '../bulk-job.ts'
import { hashFields } from '../content-hash.ts'
import type { Problem, RowOperation } from '../row-operation.ts'
import { type ColumnTarget, type Mapping, mapRow } from './column-mapping.ts'
import { createPhoneIndex, type PhoneIndex } from './phone-index.ts'
import { type Row, type RowEncoding, readRows } from './read-rows.ts'
import type { RowSource } from './row-source.ts'

/** Maximum number of problems listed; the others are only counted. */
const maxProblems = 20
const maxReasons = 50
const maxColumns = 500
const sampleSize = 3

interface CheckOptions {
  readonly source: RowSource
  readonly encoding: RowEncoding
  readonly mapping: Mapping
  readonly operation: RowOperation
  /** Country of numbers without a country code. */
  readonly country?: string | undefined
  /** Accepts values that look like masks of secrets. */
  readonly sendsMasks: boolean | undefined
  readonly signal: AbortSignal
  /** Computes the hash of all requests. */
  readonly hashesRequests?: boolean
  /** Called with the part that was read (0 to 1) and the number of rows. */
  readonly onProgress?: (part: number, rows: number) => void
}

/** Reads the input once and checks every row. Memory grows by about 25 bytes per row. */
export async function checkRows({
  source,
  encoding,
  mapping,
  operation,
  country,
  sendsMasks,
  signal,
  hashesRequests = false,
  onProgress = () => {},
}: CheckOptions): Promise<CheckResult> {
  const digest = createHash('sha256')
  const requests = hashesRequests ? createHash('sha256') : undefined
  const numbers = createPhoneIndex()
  const columns = new Map<string, ColumnTarget>()
  const problems: (Problem & { line: number })[] = []
  const reasons = new Map<string, number>()
  let problemCount = 0
  const sample: Record<string, unknown>[] = []
  const badRows = createBitSet()
  const phones = await phoneReader(country)
  let read = 0
  let bad = 0
  let hasMasks = false
  let lastColumns: readonly string[] | undefined
  const onBytes = (bytes: Uint8Array): void => {
    digest.update(bytes)
    read += bytes.length
  }
  for await (const rows of readRows(source, encoding, onBytes)) {
    if (signal.aborted) break
    for (const row of rows) {
      const targets = mapping.targetsOf(row.columns)
      if (row.columns !== lastColumns) {
        lastColumns = row.columns
        for (const [n, column] of row.columns.entries())
          if (columns.size < maxColumns && !columns.has(column)) columns.set(column, targets[n] as ColumnTarget)
      }
      const { body, wrong, phone } = toRequestBody(row, targets, operation, phones)
      const masks = maskProblems(body, sendsMasks)
      hasMasks ||= masks.length > 0
      wrong.push(...masks)
      const first = numbers.add(
        phone,
        row.line,
        phone === undefined ? undefined : hashFields(body, operation.contentFields),
      )
      if (first !== undefined && !operation.allowsDuplicates)
        wrong.push(duplicateProblem(operation, numbers.lineOf(first)))
      if (wrong.length > 0) {
        bad += 1
        badRows.set(row.at)
        problemCount += wrong.length
        for (const problem of wrong) {
          if (problems.length < maxProblems) problems.push({ line: row.line, ...problem })
          const reason = reasonOf(problem)
          if (reasons.has(reason) || reasons.size < maxReasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
        }
      } else {
        requests?.update(`${canonicalJson(body)}\n`)
        if (sample.length < sampleSize) sample.push(body)
      }
    }
    onProgress(source.size === 0 ? 1 : read / source.size, numbers.rows)
  }
  return {
    rows: numbers.rows,
    bad,
    hasMasks,
    problems,
    problemCount,
    reasons,
    isBad: badRows.has,
    numbers,
    columns,
    sample,
    hash: digest.digest('hex'),
    ...(requests && { requestsHash: requests.digest('hex') }),
  }
}

/**
 * Returns the first sentence of a problem without the value of the row: `phone_number: Invalid phone number`. `countryHint` of
 * bulk-job.ts compares its end.
 */
function reasonOf({ field, message }: Problem): string {
  const [sentence = message] = message
    .replaceAll(/ "[^"]*"/g, '')
    .replaceAll(/\bline \d+/g, 'another line')
    .split(/\.(?:\s|$)/, 1)
  return field === '' ? sentence : `${field}: ${sentence}`
}

const maskProblems = (body: Record<string, unknown>, sendsMasks: boolean | undefined): Problem[] =>
  findMasks(body, sendsMasks ? ({ text }) => isMask(text) : isAnyMask).map((field) => ({
    field,
    message: 'A mask instead of a credential. Replace it with the credential, or pass --force if it is not a mask.',
  }))

const duplicateProblem = (operation: RowOperation, line: number): Problem => ({
  field: operation.phoneField,
  message: `Duplicate of line ${line}. ${operation.duplicateHint}`,
})

/** Returns the problems of a row that was found to be invalid. */
export async function describeProblems(
  row: Row,
  { mapping, operation, checkResult, flags, context }: BulkJob,
): Promise<readonly Problem[]> {
  const { numbers } = checkResult
  const phones = await phoneReader(flags.country)
  const { body, wrong } = toRequestBody(row, mapping.targetsOf(row.columns), operation, phones)
  wrong.push(...maskProblems(body, context.writeSettings.sendsMasks))
  const first = numbers.firstRowWith(row.at)
  return first !== row.at && !operation.allowsDuplicates
    ? [...wrong, duplicateProblem(operation, numbers.lineOf(first))]
    : wrong
}

/** Builds the request body of a row that was found to be valid. */
export function buildBody(
  row: Row,
  mapping: Mapping,
  operation: RowOperation,
  numbers: PhoneIndex,
): Record<string, unknown> {
  const { fields, variables } = mapRow(mapping.targetsOf(row.columns), row.values)
  fields[operation.phoneField] = numbers.numberOf(row.at)
  return operation.bodyOf(fields, variables)
}

/** Reads phone numbers of rows. */
interface PhoneReader {
  readonly parse: (text: string) => string | undefined
  readonly country: string | undefined
}

const phoneReader = async (country: string | undefined): Promise<PhoneReader> => ({
  parse: await loadPhoneNumberParser(country),
  country,
})

function toRequestBody(
  row: Row,
  targets: readonly ColumnTarget[],
  operation: RowOperation,
  { parse, country }: PhoneReader,
): { body: Record<string, unknown>; wrong: Problem[]; phone?: string } {
  if (row.problem !== undefined) return { body: {}, wrong: [{ field: '', message: row.problem }] }
  const { fields, variables } = mapRow(targets, row.values)
  const problems: Problem[] = []
  const given = fields[operation.phoneField]
  const phone = typeof given === 'string' ? parse(plainNumber(given)) : undefined
  if (phone === undefined)
    problems.push({ field: operation.phoneField, message: describeInvalidNumber(given, country) })
  else fields[operation.phoneField] = phone
  for (const [n, value] of row.values.entries())
    if (typeof value === 'string' && value.includes('\ufffd'))
      problems.push({
        field: row.columns[n] ?? '',
        message: 'Invalid UTF-8. Save the file as UTF-8.',
      })
  const body = operation.bodyOf(fields, variables)
  if (phone !== undefined) {
    // The schema requires the number; a problem with the number was already added.
    const checked = validate(operation.endpoint.body as never, body)
    if (!checked.ok)
      // The sender, number or campaign of all rows is an id that the command resolved.
      for (const [field, [message = '']] of Object.entries(checked.errors))
        if (field in operation.fields.known || !isLargeId(body[field])) problems.push({ field, message })
  }
  problems.push(...operation.problemsOf(body))
  return { body, wrong: problems, ...(phone !== undefined && { phone }) }
}

/** Creates a growing set of row numbers with one bit per row. */
function createBitSet(): { set(row: number): void; has(row: number): boolean } {
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
