import type { ColumnNode, InsertQueryNode, OperationNode, PrimitiveValueListNode, ValuesNode } from 'kysely'

/** Databases limit the number of parameters: SQLite to 32 766, PostgreSQL to 65 535. More values are one parameter. */
const maxListParameters = 500

const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0')

/** Returns the type of the values of a list if it is bound as one parameter, because it is long. The dialects write it as JSON, and PostgreSQL casts to this type. */
export function typeOfLongList(values: readonly unknown[]): 'bigint' | 'text' | undefined {
  if (values.length <= maxListParameters) return undefined
  if (values.every((it) => Number.isSafeInteger(it))) return 'bigint'
  return values.every(isText) ? 'text' : undefined
}

/** Returns a list of values for `in` of a statement that is written with `sql`. */
export const valueList = (values: readonly unknown[]): { toOperationNode(): OperationNode } => ({
  toOperationNode: (): PrimitiveValueListNode => ({ kind: 'PrimitiveValueListNode', values }),
})

/** Rows that are bound as one parameter, because they are many. What all of them have in common is bound once. */
interface LongRows {
  readonly insert: InsertQueryNode
  /** Each column with its value, if that is the same in all rows. */
  readonly columns: readonly { readonly node: ColumnNode; readonly common: { readonly value: unknown } | undefined }[]
  /** The values of each row in the other columns, in their order. */
  readonly rows: readonly (readonly unknown[])[]
}

const isPlain = (value: unknown): boolean => value === null || Number.isSafeInteger(value) || isText(value)

/** Returns the rows of an insert if they are bound as one parameter. Only texts, integers and null can be. */
export function toLongRows({ values: given }: ValuesNode, insert: OperationNode | undefined): LongRows | undefined {
  const { columns: nodes = [] } = insert as InsertQueryNode
  if (given.length * nodes.length <= maxListParameters) return undefined
  if (!given.every((row): row is PrimitiveValueListNode => row.kind === 'PrimitiveValueListNode')) return undefined
  const columns = nodes.map((node, n) => {
    const value = given[0]?.values[n]
    return { node, common: given.every((it) => it.values[n] === value) ? { value: toValue(value) } : undefined }
  })
  const own = columns.flatMap(({ common }, n) => (common ? [] : [n]))
  if (!columns.every(({ common }) => !common || isPlain(common.value))) return undefined
  if (!given.every(({ values }) => own.every((n) => isPlain(values[n])))) return undefined
  return {
    insert: insert as InsertQueryNode,
    columns,
    rows: given.map(({ values }) => own.map((n) => toValue(values[n]))),
  }
}

const toValue = (value: unknown): unknown => (typeof value === 'string' ? toWellFormed(value) : value)

/** Replaces halves of characters, as the drivers do when they bind a text. PostgreSQL refuses them in JSON. */
const toWellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
