import type * as z from 'zod'
import { allowedValues, schemaDefinition, unwrap } from '../../../contract/endpoint/coerce.ts'
import { valueAtPath } from '../output/fields.ts'

/** How the values of a field are compared. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'time' | 'object'

/** A field of the records of a list. */
export interface RecordField {
  /** Dot path into the record. */
  readonly path: string
  readonly kind: FieldKind
  /** All values of an enum. */
  readonly allowed?: readonly string[]
  /** Returns the value of a record, if it is not found under the path: it is composed of several fields. */
  readonly read?: (record: object) => unknown
  /** Returns what the table shows in place of the value, for a column that the user named by its heading. */
  readonly shown?: (record: object) => unknown
  /** Whether the values are times of this computer, which moving the clock of the platform does not change. */
  readonly isComputerTime?: true
  /** Whether the values are words that are compared in any spelling: `in progress` for `IN_PROGRESS`. */
  readonly isWord?: true
}

/** Returns the value of a field of a record. */
export const fieldValue = (record: object, { path, read }: RecordField): unknown =>
  read ? read(record) : valueAtPath(record, path)

/** Returns the schema of one item of a printed list; undefined if it is not described. */
export function elementOf(printed: z.ZodType | null): z.ZodType | undefined {
  if (!printed) return undefined
  const { base, kind } = unwrap(printed)
  if (kind === 'array') return schemaDefinition(base).element
  const list = schemaDefinition(base).options?.find((it) => unwrap(it).kind === 'array')
  return list && elementOf(list)
}

/** Returns the schemas of the values at a dot path. Lists add no level, and a union has those of its options. */
function schemasAt(schema: z.ZodType, path: readonly string[]): z.ZodType[] {
  const { base, kind } = unwrap(schema)
  const { element, options, shape, valueType } = schemaDefinition(base)
  if (kind === 'array' && element) return schemasAt(element, path)
  if (kind === 'union') return (options ?? []).flatMap((it) => schemasAt(it, path))
  const [key, ...below] = path
  if (key === undefined) return [base]
  if (shape?.[key]) return schemasAt(shape[key], below)
  return kind === 'record' && valueType ? schemasAt(valueType, below) : []
}

const times = ['2026-01-31T09:00:00.000000Z', '2026-01-31T09:00:00.000Z', '2026-01-31 09:00:00', '2026-01-31T09:00:00Z']

/** Returns whether a schema of text accepts times only. */
const isTime = (schema: z.ZodType): boolean =>
  times.some((it) => schema.safeParse(it).success) && !schema.safeParse('text').success

function kindOf(schema: z.ZodType): FieldKind {
  const { kind } = unwrap(schema)
  if (kind === 'integer' || kind === 'number') return 'number'
  if (kind === 'boolean') return 'boolean'
  if (kind === 'object' || kind === 'record') return 'object'
  return kind === 'string' && isTime(schema) ? 'time' : 'text'
}

/** Describes a field of a record. Fields that the schema leaves open are compared as text. */
export function recordField(item: z.ZodType | undefined, path: string): RecordField {
  const found = item ? schemasAt(item, path.split('.')).filter((it) => unwrap(it).kind !== 'null') : []
  const kinds = new Set(found.map(kindOf))
  const [kind = 'text'] = kinds
  const allowed = found.map(allowedValues)
  return {
    path,
    kind: kinds.size === 1 ? kind : 'text',
    ...(found.length > 0 &&
      allowed.every((it) => it !== undefined) && {
        allowed: allowed
          .flat()
          .filter((it) => it !== null)
          .map(String),
      }),
  }
}

/**
 * Returns the field that --since and --until compare: the time of creation, otherwise the first time of the platform. `known` is in
 * the order of the schema, so for a list without `created_at` that order decides what scripts with these flags get.
 */
export function timeField(known: readonly string[], describe: (path: string) => RecordField): RecordField | undefined {
  const top = known.filter((it) => !it.includes('.')).map(describe)
  const times = top.filter((it) => it.kind === 'time')
  return times.find((it) => it.path === 'created_at') ?? times.find((it) => !it.isComputerTime) ?? times[0]
}
