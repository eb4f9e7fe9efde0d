/** Headers of our own server beyond the specification (assumed), each by its lower-case name. Each belongs to a capability. */

/** Request header of an update with a definition (capability `when-tested`): publish the definition only when its test passes. */
export const publishHeader = 'parley-publish'
export const publishWhenTested = 'when-tested'
/** Answer header of an update with a definition: `true` when the definition is live now, `false` when it is a draft. */
export const publishedHeader = 'parley-published'
/** Answer header of create, update and apply (capability `runs`): id of the test run. */
export const runHeader = 'parley-run'

/** Request header (capability `version-guard`): id of the live version the caller read. Another live version refuses the request. */
export const ifVersionHeader = 'parley-if-version'
/** Answer header (capability `version-guard`): id of the version that is live after the request. */
export const versionHeader = 'parley-version'

/** Request header (capability `details`): the answer may have more fields than the specification lists. */
export const detailsHeader = 'parley-details'
export const detailsFull = 'full'
