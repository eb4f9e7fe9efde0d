/** Databases limit the number of parameters: SQLite to 32 766, PostgreSQL to 65 535. Longer lists are one parameter. */
const maxListParameters = 500

/** Returns the type of the values of a list if it is bound as one parameter, because it is long. */
export function typeOfLongList(values: readonly unknown[]): 'bigint' | 'text' | undefined {
  if (values.length <= maxListParameters) return undefined
  if (values.every((it) => Number.isSafeInteger(it))) return 'bigint'
  return values.every((it) => typeof it === 'string') ? 'text' : undefined
}
