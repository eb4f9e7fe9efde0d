import { expect, test } from 'vitest'
import { ConformanceReport } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { ConformanceSession } from '../../../../../src/cli/features/doctor/conformance/conformance-session.ts'
import { checkList } from '../../../../../src/cli/features/doctor/conformance/list-checks.ts'
import type { Endpoint } from '../../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../../src/contract/resources/index.ts'

const times = (created: string, updated: string) => ({ created_at: created, updated_at: updated })
const early = '2026-01-01T00:00:00.000000Z'
const late = '2026-02-01T00:00:00.000000Z'

/** Returns the path and what is expected of each difference that the rows of a list have. */
async function differences(name: string, rows: readonly object[], isEmpty = false): Promise<readonly string[]> {
  const endpoint = endpoints.find((it) => it.name === name) as Endpoint
  const report = new ConformanceReport()
  const session = new ConformanceSession({ capabilities: () => new Set(['details']) } as never, report)
  const output = endpoint.items === '' ? rows : { [endpoint.items as string]: rows }
  const first = { status: 200, output, headers: { 'content-type': 'application/json' } }
  await checkList(session, endpoint, {}, first, { isEmpty, isDeep: false })
  return report.rows().flatMap((row) => row.differences.map((it) => `${it.path}: ${it.expected}`))
}

test.each([
  ['tools.list', '*', false],
  ['labels.list', 'data.*', false],
  ['keys.list', 'api_keys.*', true],
])('rows of %s that contradict each other are reported at %s', async (name, path, isAlwaysFilled) => {
  const good = [
    { id: 1, ...times(early, late) },
    { id: 2, ...times(early, early) },
  ]
  const isOurs = (text: string): boolean =>
    text.startsWith(`${path}.id:`) || text.startsWith(`${path}.updated_at:`) || text.startsWith(`${path}:`)
  expect((await differences(name, good)).filter(isOurs)).toEqual([])
  expect(await differences(name, [good[0] as object, { ...good[1], id: 1 }])).toContain(`${path}.id: unique ids`)
  expect(await differences(name, [{ id: 1, ...times(late, early) }])).toContain(
    `${path}.updated_at: a time not before created_at`,
  )
  expect((await differences(name, good, true)).includes(`${path}: no rows in a new account`)).toBe(!isAlwaysFilled)
  expect(await differences(name, [], true)).toEqual([])
})
