import { crypto } from './crypto.ts'
import { stringifyJson } from './json.ts'

/**
 * Returns JSON with sorted object fields, so that equal values have equal texts. Hashes of stored versions and approvals are
 * made from it: the text for a value never changes.
 */
export const canonicalJson = (value: unknown): string =>
  stringifyJson(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )

/** Returns the SHA-256 hash of the canonical JSON in hexadecimal. */
export const hashJson = (value: unknown): string =>
  crypto().createHash('sha256').update(canonicalJson(value)).digest('hex')
