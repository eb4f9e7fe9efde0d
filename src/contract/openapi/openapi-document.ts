import { stringifyJson } from '../../node/json.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { contract } from '../resources/index.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { createErrorResponses } from './error-responses.ts'
import type { OpenApiExamples } from './examples.ts'
import { itemName, itemSchema, resourceItem } from './item-types.ts'
import { NamedSchemas, repeatedSchemas } from './named-schemas.ts'
import { createOpenApiTranslator } from './openapi-translator.ts'
import { createOperation, idempotencyKeyParameter, type OperationParts } from './operation.ts'
import { createSchemaTranslation } from './schema-translation.ts'
import { platformTags } from './tags.ts'
import { createWebhooks } from './webhook-events.ts'

type Json = Record<string, unknown>

/** What documents differ in. */
interface DocumentParts {
  readonly title: string
  readonly description: string
  readonly version: string
  /** Endpoints by resource. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>
  /** Descriptions of the resources. */
  readonly tags: Readonly<Record<string, string>>
  readonly securityScheme: Json
  /** The webhooks section. */
  readonly webhooks?: Json
  readonly vocabulary?: Vocabulary | undefined
  readonly examples: OpenApiExamples
}

/** Adds the items of lists, and objects that a resource repeats, as named schemas. */
function nameSchemas(
  { tables }: DocumentParts,
  parts: OperationParts,
  operations: Readonly<Record<string, readonly Json[]>>,
): NamedSchemas {
  const all = Object.values(tables).flatMap((it) => Object.values(it))
  const items = all.flatMap((endpoint): [string, Json][] => {
    const schema = itemSchema(endpoint, parts.schemas.answer(endpoint.output))
    return schema === undefined ? [] : [[itemName(endpoint), schema]]
  })
  const isItem = new Set(items.map(([, schema]) => stringifyJson(schema)))
  const repeated = Object.entries(operations)
    .flatMap(([tag, its]) => repeatedSchemas(its, resourceItem(tag)))
    .filter(([, schema]) => !isItem.has(stringifyJson(schema)))
  const named = new NamedSchemas()
  const size = (it: unknown): number => stringifyJson(it).length
  // A schema can contain smaller ones, which then have their names already.
  for (const [name, schema] of [...items, ...repeated].sort(([, a], [, b]) => size(a) - size(b)))
    named.add(name, schema)
  return named
}

const byName = (it: Json): Json => Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns an OpenAPI 3.1 document. */
export function createDocument(parts: DocumentParts): Json {
  const { title, description, version, tables, tags, vocabulary, examples, webhooks } = parts
  const words = createOpenApiTranslator(vocabulary)
  const schemas = createSchemaTranslation(words)
  const errors = createErrorResponses(words, examples)
  const operationParts = { words, schemas, errors, examples }
  const paths: Record<string, Json> = {}
  const operations: Record<string, Json[]> = {}
  for (const [tag, table] of Object.entries(tables)) {
    for (const endpoint of Object.values(table)) {
      const path = words.path(endpoint.path)
      const operation = createOperation(endpoint, tag, operationParts)
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation }
      operations[tag] = [...(operations[tag] ?? []), operation]
    }
  }
  const named = nameSchemas(parts, operationParts, operations)
  const replacedPaths = named.replace(paths)
  const definitions = named.replace(schemas.definitions()) as Json
  // After all operations, which add what it has.
  const shared = errors.components()
  const hasIdempotencyKey = stringifyJson(paths).includes('#/components/parameters/IdempotencyKey')
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: { name: 'Parley' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: [...Object.keys(tables), ...(webhooks ? ['webhooks'] : [])].map((name) => ({
      name,
      description: tags[name] ?? 'Requests of the platform to your servers',
    })),
    paths: replacedPaths,
    ...(webhooks && { webhooks }),
    components: {
      schemas: byName({ ...named.components(), ...definitions, ...shared.schemas }),
      responses: byName(shared.responses),
      ...(hasIdempotencyKey && { parameters: { IdempotencyKey: idempotencyKeyParameter } }),
      headers: shared.headers,
      examples: byName(shared.examples),
      securitySchemes: { key: parts.securityScheme },
    },
  }
}

/**
 * Returns the OpenAPI 3.1 document of the contract, without the control routes. Uses the words of a vocabulary if one is
 * given. Servers answer it, and others generate clients from it; test/golden/openapi.json has the neutral one for reviewers.
 */
export const createOpenApiDocument = (version: string, examples: OpenApiExamples, vocabulary?: Vocabulary): Json =>
  createDocument({
    title: 'Conversational Assistant Platform',
    description:
      'API of the platform for voice and chat assistants. Every error has one of the documented envelopes; HEAD is accepted wherever GET is.',
    version,
    tables: contract,
    tags: platformTags,
    securityScheme: { type: 'http', scheme: 'bearer', description: 'An API key, <id>|<secret>' },
    webhooks: createWebhooks(examples.events ?? {}),
    vocabulary,
    examples,
  })
