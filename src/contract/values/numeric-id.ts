/** Returns whether a value is an id of a resource: a number, or the text of one. Texts hold ids that a number cannot hold. */
export const isNumericId = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && /^\s*\d+\s*$/.test(value))
