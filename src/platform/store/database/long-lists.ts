import type { ColumnNode, InsertQueryNode, OperationNode, PrimitiveValueListNode, ValuesNode } from 'kysely'

/** Databases limit the number of parameters: SQLite to 32 766, PostgreSQL to 65 535. More values are one parameter. */
const maxListParameters = 500

const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0')

/** Returns the type of the values of a list if it is bound as one parameter, because it is long. */
export function typeOfLongList(values: readonly unknown[]): 'bigint' | 'text' | undefined {
  if (values.length <= maxListParameters) return undefined
  if (values.every((it) => Number.isSafeInteger(it))) return 'bigint'
  return values.every(isText) ? 'text' : undefined
}

/** Returns a list of values for `in` of a statement that is written with `sql`. */
export const valueList = (values: readonly unknown[]): { toOperationNode(): OperationNode } => ({
  toOperationNode: (): PrimitiveValueListNode => ({ kind: 'PrimitiveValueListNode', values }),
})

/** Rows that are bound as one parameter, because they are many: a list of objects with the names of the columns. */
interface LongRows {
  readonly insert: InsertQueryNode
  readonly columns: readonly ColumnNode[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** Returns the rows of an insert if they are bound as one parameter. Only texts, integers and null can be. */
export function toLongRows({ values: rows }: ValuesNode, insert: OperationNode | undefined): LongRows | undefined {
  const { columns = [] } = insert as InsertQueryNode
  if (rows.length * columns.length <= maxListParameters) return undefined
  const isPlain = (value: unknown): boolean => value === null || Number.isSafeInteger(value) || isText(value)
  if (!rows.every((row) => row.kind === 'PrimitiveValueListNode' && row.values.every(isPlain))) return undefined
  const toValue = (value: unknown): unknown => (typeof value === 'string' ? toWellFormed(value) : value)
  return {
    insert: insert as InsertQueryNode,
    columns,
    rows: rows.map((row) =>
      Object.fromEntries(columns.map(({ column }, n) => [column.name, toValue((row.values as unknown[])[n])])),
    ),
  }
}

/** Replaces halves of characters, as the drivers do when they bind a text. PostgreSQL refuses them in JSON. */
const toWellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
