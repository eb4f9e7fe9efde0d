import { afterEach, expect, test, vi } from 'vitest'
import { parseSearch, type TimelineFilter } from '../../../src/inspector/page/timeline/search.ts'

interface Followed {
  readonly entries: { readonly value: readonly { readonly id: string }[] }
  follow(filter: TimelineFilter): () => void
  refresh(): Promise<void>
}

// Their types need a browser.
const { resync } = await vi.importActual<{ resync: () => void }>('../../../src/inspector/page/data/changes.ts')
const { Timeline } = await vi.importActual<{ Timeline: new () => Followed }>(
  '../../../src/inspector/page/timeline/entries.ts',
)

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Holds every request back until it is answered with entries of these ids, newest first. */
function heldRequests() {
  const held: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => held.push(resolve)))
  return async (request: number, ...ids: readonly string[]): Promise<void> => {
    const data = ids.map((id) => ({ id, kind: 'run', at: `2026-08-04T12:0${id}:00Z` }))
    held[request]?.(Response.json({ body: { data, next: null }, shown: {}, command: null }))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('an older answer does not replace the entries of a newer one', async () => {
  const answer = heldRequests()
  const timeline = new Timeline()
  const stop = timeline.follow(parseSearch(''))
  resync()
  await answer(1, '2', '1')
  await answer(0, '1')
  expect(timeline.entries.value.map((it) => it.id)).toEqual(['2', '1'])
  stop()
})

test('after the search changed, no entry of the search before is shown with the new ones', async () => {
  const answer = heldRequests()
  const timeline = new Timeline()
  timeline.follow(parseSearch(''))()
  await answer(0, '2', '1')
  const stop = timeline.follow(parseSearch('kind:run'))
  // A change arrives before the answer to the new search.
  const refreshing = timeline.refresh()
  await answer(2, '2')
  await refreshing
  expect(timeline.entries.value.map((it) => it.id)).toEqual(['2'])
  stop()
})
