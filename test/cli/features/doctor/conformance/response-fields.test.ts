import { expect, test } from 'vitest'
import type * as z from 'zod'
import { schemaDefinition, unionMember, unwrap } from '../../../../../src/contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../../src/contract/resources/index.ts'
import { routes } from '../../../../../src/generated/routes.ts'
import { createRouter } from '../../../../../src/platform/server/http/router.ts'
import { operator } from '../../../../support/operator.ts'

/** Endpoints whose answer the specification describes: all but those it does not, and the record of section 2.13. */
const described = (endpoint: Endpoint): boolean =>
  endpoint.auth !== 'control' &&
  (endpoint.assumed === undefined || /^method(, path| and path)/.test(endpoint.assumed)) &&
  !endpoint.assumed?.includes('answer') &&
  endpoint.section !== '4.22'

/** Fields the specification leaves open: other fields of a node, and the parts of a lead's campaign (sections 2.3 and 2.10). */
const open = new Set(['definition'])

/** Fields of a response that the specification does not list: undeclared ones, and those that are marked as assumed. */
function beyond(schema: z.ZodType, value: unknown, path: string, found: Set<string>): void {
  const { base, kind } = unwrap(schema)
  const def = schemaDefinition(base)
  if (kind === 'array' && def.element && Array.isArray(value))
    for (const item of value) beyond(def.element, item, `${path}[]`, found)
  if (kind === 'union') {
    const member = unionMember(base, value)
    if (member) beyond(member, value, path, found)
  }
  if (kind !== 'object' || typeof value !== 'object' || value === null) return
  for (const [name, child] of Object.entries(value)) {
    const below = path === '' ? name : `${path}.${name}`
    const field = def.shape?.[name]
    if (!field || (field as { meta?: () => Record<string, unknown> | undefined }).meta?.()?.['x-assumed'] !== undefined)
      found.add(below)
    else if (!open.has(name)) beyond(field, child, below, found)
  }
}

test('responses that the specification lists exhaustively have exactly its fields', async () => {
  const find = createRouter(routes)
  const seen = new Map<string, Set<string>>()
  const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json', {
    async through(handle, request) {
      const response = await handle(request)
      const match = find(request.method, request.url.split('?')[0] ?? '')
      const endpoint =
        'resource' in match ? endpoints.find((it) => it.name === `${match.resource}.${match.verb}`) : undefined
      if (endpoint && described(endpoint) && response.status < 300) {
        const found = seen.get(endpoint.name) ?? new Set()
        seen.set(endpoint.name, found)
        beyond(endpoint.output, JSON.parse(response.body), '', found)
      }
      return response
    },
  })
  expect(ran.exitCode, ran.stderr).toBe(0)
  // Every endpoint of sections 4.1 to 4.21 whose answer is shown was asked.
  expect([...seen.keys()].sort()).toEqual(
    endpoints
      .filter(described)
      .map((it) => it.name)
      .sort(),
  )
  // Section 2.11 describes these two and does not name them.
  expect([...(seen.get('automate.templates') ?? [])].sort()).toEqual(['data[].params[].auto', 'data[].test_sample'])
  seen.delete('automate.templates')
  expect(
    Object.fromEntries([...seen].filter(([, fields]) => fields.size > 0).map(([name, fields]) => [name, [...fields]])),
  ).toEqual({})
})
