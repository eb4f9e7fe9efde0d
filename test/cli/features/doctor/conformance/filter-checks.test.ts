import { expect, test } from 'vitest'
import { ConformanceReport } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { ConformanceSession } from '../../../../../src/cli/features/doctor/conformance/conformance-session.ts'
import { checkFilters } from '../../../../../src/cli/features/doctor/conformance/list-checks.ts'
import type { Endpoint } from '../../../../../src/contract/endpoint/endpoint.ts'
import { assumed } from '../../../../../src/contract/endpoint/field-schemas.ts'
import { endpoints } from '../../../../../src/contract/resources/index.ts'
import * as z from '../../../../../src/contract/schema/schema.ts'

const labels = endpoints.find((it) => it.name === 'labels.list') as Endpoint
const endpoint = {
  ...labels,
  query: z.object({
    only_ours: assumed(z.enum(['a', 'b']).optional(), 'only on a Parley server'),
    of_runs: assumed(z.enum(['a', 'b']).optional(), 'only on a Parley server', 'runs'),
    usual: assumed(z.enum(['a', 'b']).optional()),
  }),
} as Endpoint

test.each([
  ['another platform', '', ['usual']],
  ['a Parley server', 'details', ['only_ours', 'usual']],
  ['a Parley server with the capability', 'details runs', ['only_ours', 'of_runs', 'usual']],
])('a filter that only a Parley server has is checked there only: %s', async (_, capabilities, expected) => {
  const asked = new Set<string>()
  const answer = { status: 200, output: { data: [] }, headers: { 'content-type': 'application/json' } }
  const call = {
    capabilities: () => new Set(capabilities.split(' ').filter((it) => it !== '')),
    raw: async (_endpoint: Endpoint, input: object) => {
      for (const name of Object.keys(input)) asked.add(name)
      return answer
    },
  }
  const session = new ConformanceSession(call as never, new ConformanceReport())
  await checkFilters(session, endpoint, {}, answer)
  expect([...asked]).toEqual(expected)
})
