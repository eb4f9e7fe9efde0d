/**
 * Reads of one resource whose response depends only on rows of the account, not on the time, the API key or external
 * services. The response is cached until the next write.
 */
export const cacheableReads: ReadonlySet<string> = new Set(['tools.get', 'sipTrunks.get', 'knowledge.get'])
