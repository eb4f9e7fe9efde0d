import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countRequestsByHour, searchRequests } from '../../src/control/inspection/search-requests.ts'
import { temporaryFolder } from '../support/databases.ts'

const folder = temporaryFolder()
const now = Date.parse('2026-08-04T12:00:00Z')
const entry = (id: number, path: string, status: number, answer = '{}') => ({
  id,
  at: new Date(now - (100 - id) * 60_000).toISOString(),
  method: 'GET',
  path,
  status,
  ms: 1,
  headers: {},
  body: null,
  answer,
})
const lines = (all: object[]) => all.map((it) => `${JSON.stringify(it)}\n`).join('')
writeFileSync(
  join(folder, 'requests.1.ndjson'),
  lines([entry(1, '/api/user/tools', 200), entry(2, '/api/user/Labels', 404), entry(3, '/api/user/keys', 503)]),
)
writeFileSync(
  join(folder, 'requests.ndjson'),
  `${lines([entry(4, '/api/user/calls', 200, '{"name":"Zoë \\"the\\" first"}')])}{"cut off`,
)
const ids = (filters: Partial<Parameters<typeof searchRequests>[1]>) =>
  searchRequests(folder, { limit: 10, ...filters }).map((it) => it.id)

test('requests of both files are found, newest first', () => {
  expect(ids({})).toEqual([4, 3, 2, 1])
  expect(ids({ limit: 2 })).toEqual([4, 3])
  const at = (now - 97 * 60_000) * 1000
  expect(ids({ after: { at, order: 3 } })).toEqual([2, 1])
  expect(ids({ after: { at: at - 60_000_000, order: 1 } })).toEqual([1])
})

test('text is found without regard to case, with letters of any language and quotes', () => {
  expect(ids({ search: 'labels' })).toEqual([2])
  expect(ids({ search: 'Zoë' })).toEqual([4])
  expect(ids({ search: '"the"' })).toEqual([4])
  expect(ids({ search: 'nowhere' })).toEqual([])
})

test('requests are found by status', () => {
  expect(ids({ status: '404' })).toEqual([2])
  expect(ids({ status: '4xx' })).toEqual([2])
  expect(ids({ status: 'failed' })).toEqual([3])
  expect(ids({ status: 'completed' })).toEqual([])
})

test('requests are counted by hour', () => {
  const { counts, failed } = countRequestsByHour(folder, now, 24)
  expect({ all: counts.reduce((sum, it) => sum + it), hour: counts[22], failed: failed[22] }).toEqual({
    all: 4,
    hour: 4,
    failed: 1,
  })
})
