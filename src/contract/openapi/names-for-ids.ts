import { isObject } from '../values/json-object.ts'

type Json = Record<string, unknown>

/**
 * Lets the field at a path of references, such as `tool_ids[]` or `tools[].assistant_id`, hold a name in place of an id. A
 * schema without the field is returned unchanged. `description` replaces that of the field, which speaks of ids. The result is
 * the schema of project files and of sample data. Users keep it beside their files, and editors check them with it: it must
 * accept what `push` and `server seed` accept.
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
