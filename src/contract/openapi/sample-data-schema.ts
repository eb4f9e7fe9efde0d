import { type SampleList, sampleDataVersion, sampleLists } from '../control/sample-data.ts'
import { AccountRecord } from '../control/sample-data-records.ts'
import * as z from '../schema/schema.ts'
import { isObject } from '../values/json-object.ts'
import { toJsonSchema } from './item-types.ts'
import { simplify } from './schema-translation.ts'

type Json = Record<string, unknown>

/** Returns the JSON Schema of a file with sample data, for editors. */
export function createSampleDataSchema(): Json {
  const lists = Object.entries(sampleLists).map(([name, list]) => [name, { type: 'array', items: recordSchema(list) }])
  const account = plain(AccountRecord)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sample data of a Parley platform',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      version: { const: sampleDataVersion },
      accounts: {
        type: 'array',
        minItems: 1,
        items: { ...account, properties: { ...(account.properties as Json), ...Object.fromEntries(lists) } },
      },
    },
    required: ['version', 'accounts'],
    additionalProperties: false,
  }
}

function recordSchema({ body, record, references = [] }: SampleList): Json {
  const optional = body ? { sip_password: z.string().optional() } : {}
  const shape = { ...body?.shape, ...record.shape }
  const schema = plain(z.strictObject(Object.hasOwn(shape, 'sip_password') ? { ...shape, ...optional } : shape))
  return references.reduce((it, { path }) => acceptNames(it, path.split('.')) as Json, schema)
}

function plain(schema: z.ZodObject): Json {
  const { $schema: _, ...rest } = simplify(toJsonSchema(schema, 'input')) as Json
  return { ...rest, additionalProperties: false }
}

/** Lets the field at a path of references hold a name in place of an id. */
function acceptNames(schema: unknown, path: readonly string[]): unknown {
  if (!isObject(schema)) return schema
  for (const union of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[union])) return { ...schema, [union]: schema[union].map((it) => acceptNames(it, path)) }
  const [step = '', ...below] = path
  const name = step.replace('[]', '')
  const { properties } = schema
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return schema
  const change = (it: unknown): unknown => (below.length > 0 ? acceptNames(it, below) : nameOrId(it))
  const field = properties[name] as Json
  const next = step.endsWith('[]') ? { ...field, items: change(field.items) } : change(field)
  return { ...schema, properties: { ...properties, [name]: next } }
}

const nameOrId = (schema: unknown): Json => {
  const { description, ...rest } = schema as Json
  return { ...(description !== undefined && { description }), anyOf: [{ type: 'string' }, rest] }
}
