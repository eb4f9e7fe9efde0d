/**
 * Name of the response header that lists the body fields that the platform ignored, separated by commas. An extension
 * of a Parley server. Clients of other versions read it: it never changes.
 */
export const ignoredHeader = 'parley-ignored'

/** Returns the ignored fields that a response lists. */
export const parseIgnoredFields = (headers: Readonly<Record<string, string>>): readonly string[] =>
  (headers[ignoredHeader] ?? '').split(/[\s,]+/).filter((it) => it !== '')
