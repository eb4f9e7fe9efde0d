/**
 * Address of the local platform of a data folder, in this process or through its server. Profiles, the journal and the
 * history have it: it never changes.
 */
export const localPlatform = 'embedded:'

/**
 * Returns whether a base URL belongs to this machine. A server that listens on all addresses names 0.0.0.0. base-url.ts has
 * one for host names, which decides about http.
 */
export const isLoopback = (base: string): boolean =>
  /^https?:\/\/(127\.[\d.]+|0\.0\.0\.0|localhost|\[::1?\])(:\d+)?(\/|$)/i.test(base)

/**
 * Returns the same text for all spellings of an address. The names of this machine differ, its ports tell servers apart.
 * Entries of the journal belong to a platform if this text is the same (open-operations.ts).
 */
export const addressKey = (base: string): string =>
  (isLoopback(base) ? base.replace(/^(https?:\/\/)(\[[^\]]*\]|[^/:]+)/i, '$1localhost') : base).replace(/\/+$/, '')
