import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countRequestsByHour, searchRequests } from '../../src/platform/control/inspection/inspector-handlers.ts'
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
  // All of the text, also where quotes are written otherwise in the log.
  for (const search of ['xthe"', '"thex', '"the"x', 'x"the"']) expect(ids({ search })).toEqual([])
})

test('requests are found by status', () => {
  expect(ids({ status: '404' })).toEqual([2])
  expect(ids({ status: '4xx' })).toEqual([2])
  expect(ids({ status: 'failed' })).toEqual([3])
  expect(ids({ status: 'completed' })).toEqual([])
})

test('requests have the time of the platform, also when its clock was moved forward and back', () => {
  const moved = temporaryFolder()
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
  const logged = [
    { id: 1, at: at(-3) },
    { id: 2, at: at(-2), platform_at: at(10) },
    { id: 3, at: at(-1), platform_at: at(11) },
    { id: 4, at: at(0), platform_at: at(0) },
  ].map((it) => ({ ...entry(it.id, '/api/user/tools', 200), ...it }))
  // The fields in the order in which the server writes them.
  const ordered = logged.map(({ id, at, platform_at, ...rest }) => ({ id, at, platform_at, ...rest }))
  writeFileSync(join(moved, 'requests.ndjson'), lines(ordered))
  const idsOf = (filters: object) => searchRequests(moved, { limit: 10, ...filters }).map((it) => it.id)
  expect(idsOf({})).toEqual([3, 2, 4, 1])
  expect(idsOf({ limit: 1 })).toEqual([3])
  expect(idsOf({ limit: 2, after: { at: Date.parse(at(10)) * 1000, order: 2 } })).toEqual([4, 1])
  const { counts } = countRequestsByHour(moved, (now - 13 * 3_600_000 + 1000) * 1000, 24)
  expect([counts[23], counts[22], counts.reduce((sum, it) => sum + it)]).toEqual([1, 1, 4])
})

test('requests are counted by hour', () => {
  const { counts, failed } = countRequestsByHour(folder, (now - 24 * 3_600_000) * 1000, 24)
  expect({ all: counts.reduce((sum, it) => sum + it), hour: counts[22], failed: failed[22] }).toEqual({
    all: 4,
    hour: 4,
    failed: 1,
  })
})
