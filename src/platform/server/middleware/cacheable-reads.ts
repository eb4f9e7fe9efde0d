/**
 * Reads whose response depends only on rows, not on the time, the host of the request or external services. The response
 * is cached until the next write. The local telephony provider stores its orders as rows.
 */
export const cacheableReads: ReadonlySet<string> = new Set([
  'keys.list',
  'knowledge.get',
  'numbers.search',
  'sipTrunks.get',
  'tools.get',
])
