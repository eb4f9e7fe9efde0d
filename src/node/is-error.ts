/**
 * Returns whether a value is an error, also one of another realm. Test runners that load modules into a context of
 * their own (Jest, vitest with vm pools) give them another `Error` than the one of Node, so `instanceof` says no.
 */
export const isError = (value: unknown): value is Error =>
  value instanceof Error ||
  (typeof value === 'object' &&
    value !== null &&
    'stack' in value &&
    'message' in value &&
    typeof value.message === 'string')

/** Returns the message of what was thrown. */
export const messageOf = (thrown: unknown): string => (isError(thrown) ? thrown.message : String(thrown))
