import { type SampleList, sampleDataVersion, sampleLists } from '../control/sample-data.ts'
import { AccountRecord } from '../control/sample-data-records.ts'
import * as z from '../schema/schema.ts'
import { toJsonSchema } from './item-types.ts'
import { acceptNames } from './names-for-ids.ts'
import { simplify } from './schema-translation.ts'

type Json = Record<string, unknown>

/**
 * Returns the JSON Schema of a file with sample data, for editors: `parley schema sample-data` prints it, and users save it
 * beside their files. It accepts at least what the loader does (contract/control/sample-data.ts), so that an editor marks
 * nothing that loads.
 */
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
  // The loader generates a password that the file does not have, as in an export without secrets.
  const optional = body ? { sip_password: z.string().optional() } : {}
  const shape = { ...body?.shape, ...record.shape }
  const schema = plain(z.strictObject(Object.hasOwn(shape, 'sip_password') ? { ...shape, ...optional } : shape))
  return references.reduce((it, { path }) => acceptNames(it, path.split('.')) as Json, schema)
}

function plain(schema: z.ZodObject): Json {
  const { $schema: _, ...rest } = simplify(toJsonSchema(schema, 'input')) as Json
  return { ...rest, additionalProperties: false }
}
