import type * as z from 'zod'
import { closestMatch } from '../commandline/closest-match.ts'
import type { Command } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'
import { fieldNamed, isKnownField, knownFields } from '../output/fields.ts'
import { itemShape } from '../output/tables/item-shape.ts'
import type { GivenListFlags } from './list-flag-table.ts'
import { type Condition, checkCondition, parseConditions } from './parse-conditions.ts'
import { elementOf, type RecordField, recordField, timeField } from './record-fields.ts'
import { parseSortKeys, type SortKey } from './sort-records.ts'

/** Parsed list flags. */
export interface ListQuery {
  readonly conditions: readonly Condition[]
  readonly sortKeys: readonly SortKey[]
  /** Path of the field that --since and --until compare; undefined if the records have no time. */
  readonly timePath: string | undefined
}

/** Returns the schema of a record and the paths of its fields, parents before children. */
export function listedFields(
  it: Command,
  printed: z.ZodType | null,
): { readonly item: z.ZodType | undefined; readonly known: readonly string[] } {
  const item = elementOf(printed)
  return { item, known: knownFields({ ...itemShape(it), ...(item && { schema: item }) }) }
}

/**
 * Parses the list flags of a command. `printed` is the schema of its output.
 * @throws ClientFailure `usage` for an unknown field, with the known ones, and for invalid values
 */
export function parseListQuery(
  commandName: string,
  it: Command,
  printed: z.ZodType | null,
  { filter = [], sort, since, until }: GivenListFlags,
): ListQuery {
  const { item, known } = listedFields(it, printed)
  const fieldOf =
    (flag: string) =>
    (name: string): RecordField => {
      const path = fieldNamed(name, known, it)
      if (!isKnownField(known, path)) throw unknownField(flag, name, known)
      return recordField(item, path)
    }
  const conditions = filter.flatMap((text) => parseConditions(text, fieldOf('--filter')))
  const time = timeField(item, known)
  for (const [flag, operator, value] of [
    ['--since', '>=', since],
    ['--until', '<', until],
  ] as const) {
    if (value === undefined) continue
    if (!time) throw usageError(`${flag} requires records with a time. "parley ${commandName}" lists none.`)
    conditions.push(checkCondition({ field: time, operator, value, isNull: false }, flag))
  }
  return {
    conditions,
    sortKeys: sort === undefined ? [] : parseSortKeys(sort, fieldOf('--sort')),
    timePath: time?.path,
  }
}

/** Number of fields that an error lists. More would hide the message. */
const maxListedFields = 20

function unknownField(flag: string, path: string, known: readonly string[]): Error {
  const guess = closestMatch(path, known)
  const top = known.filter((it) => !it.includes('.'))
  return usageError(
    `Unknown field "${path}" in ${flag}.`,
    `${guess ? `Did you mean "${guess}"? ` : ''}${top.length > maxListedFields ? '' : `Fields: ${top.join(', ')}. `}List all fields: --fields help.`,
  )
}
