/** Filters of the timeline. */
export interface TimelineFilter {
  readonly kinds: readonly string[]
  readonly account: string
  readonly status: string
  /** ISO time of the oldest entry; empty for all. */
  readonly since: string
  /** Words to find. */
  readonly text: string
}

/**
 * Parses a search: words to find, and filters such as `kind:run,call`, `status:failed`, `account:2` and
 * `since:2026-08-04T12:00:00Z`. A filter with an unknown name is searched as text.
 */
export function parseSearch(search: string): TimelineFilter {
  const filter = { kinds: [] as string[], account: '', status: '', since: '', text: [] as string[] }
  for (const word of search.split(/\s+/).filter(Boolean)) {
    const [, name, value = ''] = /^(kind|status|account|since):(\S+)$/.exec(word) ?? []
    if (name === 'kind') filter.kinds.push(...value.split(',').filter(Boolean))
    else if (name === 'status') filter.status = value
    else if (name === 'account') filter.account = value
    else if (name === 'since') filter.since = value
    else filter.text.push(word)
  }
  return { ...filter, text: filter.text.join(' ') }
}

/** Returns the search text of a filter: the reverse of parseSearch. */
export function formatSearch({ kinds, account, status, since, text }: TimelineFilter): string {
  return [
    ...(kinds.length > 0 ? [`kind:${kinds.join(',')}`] : []),
    ...(status ? [`status:${status}`] : []),
    ...(account ? [`account:${account}`] : []),
    ...(since ? [`since:${since}`] : []),
    ...(text ? [text] : []),
  ].join(' ')
}

/** Returns the path of a page of the timeline. */
export function timelinePath(filter: TimelineFilter, before: string | null, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) })
  if (filter.kinds.length > 0) query.set('kinds', filter.kinds.join(','))
  if (filter.account) query.set('account', filter.account)
  if (filter.status) query.set('status', filter.status)
  if (filter.since) query.set('since', filter.since)
  if (filter.text) query.set('search', filter.text)
  if (before !== null) query.set('before', before)
  return `/control/timeline?${query}`
}

/** Adds new entries to known ones, newest first. An entry that is known already is replaced where it is. */
export function mergeEntries<T extends { readonly id: string; readonly at: string }>(
  known: readonly T[],
  fresh: readonly T[],
): readonly T[] {
  const byId = new Map(fresh.map((it) => [it.id, it]))
  const updated = known.map((entry) => {
    const replacement = byId.get(entry.id)
    byId.delete(entry.id)
    return replacement ?? entry
  })
  const added = fresh.filter((it) => byId.has(it.id))
  const oldest = added.at(-1)
  const merged = [...added, ...updated]
  // Most new entries are newer than all others: a long list is sorted only when one is not.
  if (!oldest || !updated[0] || Date.parse(oldest.at) >= Date.parse(updated[0].at)) return merged
  return merged.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
}
