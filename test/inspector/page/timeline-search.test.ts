import { expect, test } from 'vitest'
import { formatSearch, mergeEntries, parseSearch, timelinePath } from '../../../src/inspector/page/timeline/search.ts'

test.each([
  ['', { kinds: [], account: '', status: '', since: '', text: '' }],
  ['  opening   hours ', { kinds: [], account: '', status: '', since: '', text: 'opening hours' }],
  [
    'kind:run,call status:failed day',
    { kinds: ['run', 'call'], account: '', status: 'failed', since: '', text: 'day' },
  ],
  [
    'since:2026-08-04T12:00:00.000001Z',
    { kinds: [], account: '', status: '', since: '2026-08-04T12:00:00.000001Z', text: '' },
  ],
  ['account:2 kind:', { kinds: [], account: '2', status: '', since: '', text: 'kind:' }],
  ['url:https://x.example', { kinds: [], account: '', status: '', since: '', text: 'url:https://x.example' }],
])('the search %j has filters and text', (search, expected) => {
  expect(parseSearch(search)).toEqual(expected)
})

test('a filter written as text is parsed to the same filter', () => {
  const filter = {
    kinds: ['run'],
    account: '2',
    status: 'failed',
    since: '2026-08-04T12:00:00Z',
    text: 'opening hours',
  }
  expect(parseSearch(formatSearch(filter))).toEqual(filter)
})

test('the path of a page of the timeline has only the filters that are set', () => {
  expect(timelinePath(parseSearch('kind:run a&b'), 'run:9', 100)).toBe(
    '/control/timeline?limit=100&kinds=run&search=a%26b&before=run%3A9',
  )
  expect(timelinePath(parseSearch(''), null, 50)).toBe('/control/timeline?limit=50')
})

test('new entries come first, and known ones are updated where they are', () => {
  const merged = mergeEntries(
    [
      { id: 'run:2', at: '2026-08-04T12:02:00Z', status: 'running' },
      { id: 'run:1', at: '2026-08-04T12:01:00Z', status: 'failed' },
    ],
    [
      { id: 'run:3', at: '2026-08-04T12:03:00Z', status: 'running' },
      { id: 'run:2', at: '2026-08-04T12:02:00Z', status: 'succeeded' },
    ],
  )
  expect(merged).toEqual([
    { id: 'run:3', at: '2026-08-04T12:03:00Z', status: 'running' },
    { id: 'run:2', at: '2026-08-04T12:02:00Z', status: 'succeeded' },
    { id: 'run:1', at: '2026-08-04T12:01:00Z', status: 'failed' },
  ])
})

test('a new entry that is older than known ones is sorted among them', () => {
  const known = [
    { id: 'run:2', at: '2026-08-04T12:02:00.000000Z' },
    { id: 'run:1', at: '2026-08-04T12:01:00.000000Z' },
  ]
  const merged = mergeEntries(known, [{ id: 'request:1', at: '2026-08-04T12:01:30.000Z' }])
  expect(merged.map((it) => it.id)).toEqual(['run:2', 'request:1', 'run:1'])
})
