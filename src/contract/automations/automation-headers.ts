/** Lower-case names of headers beyond the specification (assumed) of a Parley server. Each belongs to a capability. */

// Clients and servers of other versions send and read these headers and their values: they never change.

/** Request header of an update (capability `when-tested`): publish the definition only if its test passes. */
export const publishHeader = 'parley-publish'
/** The only value of that header. */
export const publishWhenTested = 'when-tested'
/** Response header of an update with a definition: `true` if the definition is live now, `false` if it is a draft. */
export const publishedHeader = 'parley-published'
/** Response header of create, update and apply (capability `runs`): id of the test run. */
export const runHeader = 'parley-run'

/** Request header of a retry and a new run of a run (capability `runs`): continue on the live version. */
export const runVersionHeader = 'parley-run-version'
/** The only value of that header. */
export const runVersionLatest = 'latest'

/**
 * Request header (capability `version-guard`): id of the live version the caller read. The request fails if another
 * version is live.
 */
export const ifVersionHeader = 'parley-if-version'
/** Response header (capability `version-guard`): id of the version that is live after the request. */
export const versionHeader = 'parley-version'

/** Request header (capability `details`): the response may have more fields than the specification lists. */
export const detailsHeader = 'parley-details'
/** The only value of that header. */
export const detailsFull = 'full'
