// Limits of lists. The schemas of the contract are built from them, and so is what programs ask for that read a whole list: a larger value is
// refused by platforms of other versions, so they never change.

/** Largest `per_page` of a list in pages. Lists that are read as a whole are read with it. */
export const maxPerPage = 100

/** Largest `limit` of the runs of automations, which are in pages with a cursor. */
export const maxRunsPerPage = 100

/** Largest `limit` of a list without pages, such as events, deliveries and requests of a Parley server. */
export const maxListed = 1000
