declare module 'pg/lib/utils.js' {
  /** Converts a value to a parameter: text, bytes, or null. */
  export function prepareValue(value: unknown): string | Buffer | null
}
