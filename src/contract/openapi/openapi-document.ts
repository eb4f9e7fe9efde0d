import * as z from 'zod'
import { failures } from '../errors/failures.ts'
import type { Endpoint } from '../mechanics/endpoint.ts'
import { contract } from '../resources/index.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { createOpenApiTranslator, type OpenApiTranslator } from './openapi-translator.ts'

type Json = Record<string, unknown>

/** Location of the definitions of recursive schemas, shared by the whole document. */
const schemaPath = '#/components/schemas/'

const toSchema = (schema: z.ZodType, io: 'input' | 'output', defs: Json): Json => {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Json
  if (plain.$defs === undefined) return plain
  const { $defs, ...rest } = JSON.parse(JSON.stringify(plain).replaceAll('"#/$defs/', `"${schemaPath}`)) as Json
  for (const [name, it] of Object.entries($defs as Json)) defs[name] = { ...(it as Json), id: undefined }
  return rest
}

const parameters = (
  schema: z.ZodObject | undefined,
  place: 'path' | 'query',
  words: OpenApiTranslator,
  defs: Json,
): Json[] => {
  if (!schema) return []
  const { properties = {}, required = [] } = toSchema(schema, 'input', defs) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    // The path template defines the names of its parameters.
    name: place === 'path' ? name : words.name(name),
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: words.schema(type, name, false),
  }))
}

const headerParameters = ({ headers = {} }: Endpoint): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    'x-assumed': true,
    schema: { type: 'string' },
  }))

function responses(endpoint: Endpoint, words: OpenApiTranslator, defs: Json): Json {
  const content = { 'application/json': { schema: words.schema(toSchema(endpoint.output, 'output', defs), '', true) } }
  const byStatus: Record<string, Json> = { [endpoint.status]: { description: 'Success', content } }
  for (const [status, description] of Object.entries(endpoint.alsoStatus ?? {}))
    byStatus[status] = { description, content }
  const general = [
    ...(endpoint.auth === 'none' ? [] : (['unauthenticated'] as const)),
    ...(endpoint.body || endpoint.query ? (['invalid'] as const) : []),
  ]
  for (const name of [...endpoint.errors, ...general]) {
    const { status, text } = failures[name]
    const before = byStatus[status]
    byStatus[status] = {
      description: before ? `${before.description} ${text}` : text,
      content: { 'application/json': { schema: { type: 'object' } } },
    }
  }
  return byStatus
}

function operation(endpoint: Endpoint, tag: string, words: OpenApiTranslator, defs: Json): Json {
  const { assumed, body, auth } = endpoint
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    tags: [tag],
    ...(auth === 'none' && { security: [] }),
    ...(assumed !== undefined && { 'x-assumed': assumed }),
    'x-risk': endpoint.risk,
    ...(endpoint.limit && { 'x-rate-limit': { max: endpoint.limit.max, seconds: endpoint.limit.seconds } }),
    parameters: [
      ...parameters(endpoint.params, 'path', words, defs),
      ...parameters(endpoint.query, 'query', words, defs),
      ...headerParameters(endpoint),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: words.schema(toSchema(body, 'input', defs), '', false) } },
      },
    }),
    responses: responses(endpoint, words, defs),
  }
}

/**
 * Returns the OpenAPI 3.1 document of the contract, without the control routes. Uses the words of a vocabulary if
 * one is given.
 */
export function createOpenApiDocument(version: string, vocabulary?: Vocabulary): Json {
  const words = createOpenApiTranslator(vocabulary)
  const paths: Record<string, Record<string, Json>> = {}
  const defs: Json = {}
  for (const [tag, table] of Object.entries(contract)) {
    for (const endpoint of Object.values(table) as Endpoint[]) {
      const path = words.path(endpoint.path)
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, tag, words, defs) }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Conversational Assistant Platform', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(defs).map(([name, it]) => [name, words.schema(it as Json, '', false)]),
      ),
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, <id>|<secret>' } },
    },
  }
}
