/**
 * Returns a value that must be there, such as a row that the same transaction has read or written before.
 * @throws Error when it is missing
 */
export function requireValue<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('A stored value is missing.')
  return value
}
