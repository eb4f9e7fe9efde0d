import { isObject } from '../values/json-object.ts'

type Json = Record<string, unknown>

/**
 * For the schemas of project files and of sample data, which editors check files with: they must accept what `push` and
 * `server load` accept. Users keep them beside their files. Lets the field at a path of references hold a name in place of an id: `tool_ids[]`, `tools[].assistant_id`. A schema
 * without the field is returned unchanged. `describe` replaces its description, which speaks of ids.
 */
export function acceptNames(schema: unknown, path: readonly string[], description?: string): unknown {
  if (!isObject(schema)) return schema
  for (const union of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[union]))
      return { ...schema, [union]: schema[union].map((it) => acceptNames(it, path, description)) }
  const [step = '', ...below] = path
  const name = step.replace('[]', '')
  const { properties } = schema
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return schema
  const change = (inner: unknown): unknown =>
    below.length > 0 ? acceptNames(inner, below, description) : nameOrId(inner as Json, description)
  const field = properties[name] as Json
  const next = step.endsWith('[]') ? { ...field, items: change(field.items) } : change(field)
  return { ...schema, properties: { ...properties, [name]: next } }
}

function nameOrId({ description, ...rest }: Json, replacement = description): Json {
  return { ...(replacement !== undefined && { description: replacement }), anyOf: [{ type: 'string' }, rest] }
}
