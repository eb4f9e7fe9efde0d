import type { FieldKind } from '../../../../src/cli/program/lists/record-fields.ts'

/** A printed record. */
export type Row = Readonly<Record<string, unknown>>

export interface Condition {
  readonly path: string
  readonly operator: '=' | '!=' | '>' | '>=' | '<' | '<=' | '~'
  readonly value: string | number | boolean
  readonly kind: FieldKind
}

/** The operators that are tried on a field. */
export const operatorsOf = (kind: FieldKind): Condition['operator'][] =>
  kind === 'boolean' ? ['=', '!='] : kind === 'text' ? ['=', '!=', '~'] : ['=', '!=', '>', '>=', '<', '<=']

const comparable = (value: unknown, kind: FieldKind): number | string =>
  kind === 'time'
    ? new Date(`${String(value).replace(' ', 'T').replace('Z', '')}Z`).getTime()
    : kind === 'number'
      ? Number(value)
      : String(value)

/** Whether a record meets a condition. */
export function meets(record: Row, { path, operator, value, kind }: Condition): boolean {
  const own = [record[path]].flat(9).filter((it) => it !== null && it !== undefined)
  const wanted = comparable(value, kind)
  const some = (accepts: (value: number | string) => boolean): boolean =>
    own.some((it) => accepts(comparable(it, kind)))
  switch (operator) {
    case '=':
      return some((it) => it === wanted)
    case '!=':
      return !some((it) => it === wanted)
    case '>':
      return some((it) => it > wanted)
    case '>=':
      return some((it) => it >= wanted)
    case '<':
      return some((it) => it < wanted)
    case '<=':
      return some((it) => it <= wanted)
    default:
      return own.some((it) => String(it).toLowerCase().includes(String(value).toLowerCase()))
  }
}

/** Whether records are in the order of a field, those without a value last. */
export function isSorted(records: readonly Row[], path: string, kind: FieldKind, descending: boolean): boolean {
  const values = records.map((it) => [it[path]].flat(9)[0]).map((it) => (it === undefined ? null : it))
  const firstNull = values.indexOf(null)
  if (firstNull >= 0 && values.slice(firstNull).some((it) => it !== null)) return false
  const known = values.filter((it) => it !== null)
  return known.every((value, n) => {
    if (n === 0 || typeof value === 'object') return true
    const [before, here] = [comparable(known[n - 1], kind), comparable(value, kind)]
    const order =
      typeof before === 'number' && typeof here === 'number'
        ? before - here
        : String(before).localeCompare(String(here), 'en')
    return descending ? order >= 0 : order <= 0
  })
}

/** Text of a value in csv. */
export const isText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Splits csv into rows of cells. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[at++]
      else isQuoted = false
    } else if (letter === '"') isQuoted = true
    else if (letter === ',') [row, cell] = [[...row, cell], '']
    else if (letter === '\n') {
      rows.push([...row, cell])
      ;[row, cell] = [[], '']
    } else if (letter !== '\r') cell += letter
  }
  return rows
}
