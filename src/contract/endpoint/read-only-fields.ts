import { schemaDefinition, unwrap } from './coerce.ts'
import type { Endpoint } from './endpoint.ts'

const cache = new WeakMap<Endpoint, ReadonlySet<string>>()

/**
 * Returns the fields that a record has and its update does not accept (id, timestamps). They are ignored, so that a
 * record can be sent back. The server does not refuse them, and commands omit them from files, editors and updates.
 */
export function readOnlyFields(endpoint: Endpoint): ReadonlySet<string> {
  const cached = cache.get(endpoint)
  if (cached) return cached
  const output = unwrap(endpoint.output).base
  const record = endpoint.record ? schemaDefinition(output).shape?.[endpoint.record] : output
  const shown =
    endpoint.method === 'PUT' && record ? Object.keys(schemaDefinition(unwrap(record).base).shape ?? {}) : []
  const taken = endpoint.body?.shape ?? {}
  const fields = new Set([...shown, ...(endpoint.ignoredFields ?? [])].filter((name) => !Object.hasOwn(taken, name)))
  cache.set(endpoint, fields)
  return fields
}
