/** Name of the answer header that lists the body fields a request gave and the platform did not use, separated by commas. An extension of a Parley server. */
export const ignoredHeader = 'parley-ignored'

/** The fields an answer says were ignored. */
export const parseIgnoredFields = (headers: Readonly<Record<string, string>>): readonly string[] =>
  (headers[ignoredHeader] ?? '').split(/[\s,]+/).filter((it) => it !== '')
