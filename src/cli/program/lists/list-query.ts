import type * as z from 'zod'
import { closestMatch } from '../commandline/closest-match.ts'
import type { Command } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'
import { columnField, fieldNamed, isComposed, isKnownField, knownFields } from '../output/fields.ts'
import type { Column } from '../output/format.ts'
import { itemShape } from '../output/tables/item-shape.ts'
import { type Condition, parseConditions, requireCondition } from './conditions.ts'
import type { GivenListFlags } from './list-flags.ts'
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
  command: Command,
  printed: z.ZodType | null,
): { readonly item: z.ZodType | undefined; readonly known: readonly string[] } {
  const item = elementOf(printed)
  return { item, known: knownFields({ ...itemShape(command), ...(item && { schema: item }) }) }
}

/** Adds to a field what its column shows, so that a value on the screen is accepted too. */
function columnOf(column: Column<never>, field: RecordField, isPath: boolean): RecordField {
  const { key, kind } = column
  const isWord = kind === 'status' || kind === 'choice' ? { isWord: true as const } : {}
  // A field that the schema leaves open is a time if its column shows one.
  const time =
    kind === 'time'
      ? { kind }
      : kind === 'computer_time'
        ? { kind: 'time' as const, isComputerTime: true as const }
        : {}
  if (typeof key === 'string') return { ...field, ...isWord, ...time }
  const shown = key as (record: object) => unknown
  if (isComposed(column)) return { ...field, isWord: true, read: shown }
  return isPath ? field : { ...field, ...isWord, shown }
}

/**
 * Parses the list flags of a command. `printed` is the schema of its output.
 * @throws ClientFailure `usage` for an unknown field, with the known ones, and for invalid values
 */
export function parseListQuery(
  commandName: string,
  command: Command,
  printed: z.ZodType | null,
  { filter = [], sort, since, until }: GivenListFlags,
): ListQuery {
  const { item, known } = listedFields(command, printed)
  const view = command.view && {
    ...command.view,
    columns: [...command.view.columns, ...(command.otherView?.columns ?? [])],
  }
  const described = (path: string, isPath = true): RecordField => {
    const column = view?.columns.find((column) => columnField(column) === path)
    return column ? columnOf(column, recordField(item, path), isPath) : recordField(item, path)
  }
  const fieldOf =
    (flag: string) =>
    (name: string): RecordField => {
      const path = fieldNamed(name, known, view ? { view } : {})
      if (!isKnownField(known, path)) throw unknownField(flag, name, known)
      return described(path, path === name)
    }
  const conditions = filter.flatMap((text) => parseConditions(text, fieldOf('--filter')))
  const time = timeField(known, described)
  for (const [flag, operator, value] of [
    ['--since', '>=', since],
    ['--until', '<', until],
  ] as const) {
    if (value === undefined) continue
    if (!time) throw usageError(`${flag} requires records with a time. "parley ${commandName}" lists none.`)
    conditions.push(requireCondition({ field: time, operator, value, isNull: false }, flag))
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
