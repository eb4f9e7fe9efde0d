import {
  type ConditionalEndpoint,
  type EndpointName,
  endpointScopes,
  spendConditions,
} from '../access/endpoint-scopes.ts'
import type { Endpoint, Risk } from '../endpoint/endpoint.ts'
import { onlyParleyServer, originKeywords } from '../endpoint/endpoint-origins.ts'
import { fileFields } from '../endpoint/uploaded-files.ts'
import * as z from '../schema/schema.ts'
import type { ErrorResponses } from './error-responses.ts'
import type { OpenApiExamples } from './examples.ts'
import type { OpenApiTranslator } from './openapi-translator.ts'
import type { SchemaTranslation } from './schema-translation.ts'

type Json = Record<string, unknown>

/** What the operations of one document have in common. */
export interface OperationParts {
  readonly words: OpenApiTranslator
  readonly schemas: SchemaTranslation
  readonly errors: ErrorResponses
  readonly examples: OpenApiExamples
}

/**
 * Parameter of every write with an API key. `headerParameters` refers to it as `#/components/parameters/IdempotencyKey`, where
 * openapi-document.ts puts it.
 */
export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Unique key of the request. A repeated request with the same key is carried out once, for 24 hours',
  [originKeywords.source]: onlyParleyServer,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const

const effects: Readonly<Record<Risk, string>> = {
  read: 'Reads only.',
  write: 'Changes data.',
  destructive: 'Deletes or stops something that cannot be restored.',
  severe: 'Deletes something that many others depend on. This cannot be undone.',
  outside: 'Contacts systems or people outside the platform.',
  spends: 'Billable.',
}

function describe({ summary, risk, limit, capability, offers, assumed }: Endpoint): string {
  return [
    `${summary.replace(/\.?$/, '.')} ${effects[risk]}`,
    limit && `At most ${limit.max} requests in ${limit.seconds} s per account.`,
    offers && `Only on a Parley server: ${offers}.`,
    assumed !== undefined && capability === undefined && `Source: ${assumed}.`,
  ]
    .filter((it) => typeof it === 'string')
    .join(' ')
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query', parts: OperationParts): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = parts.schemas.input(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  // The path template defines the names of its parameters. Properties have the order of the schema, so that both match by
  // position.
  const names = place === 'path' ? Object.keys(schema.shape) : Object.keys(properties)
  return Object.values(properties).map(({ description, ...type }, index) => {
    const name = names[index] ?? ''
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: type,
    }
  })
}

const headerParameters = ({ headers = {}, method, auth = 'key' }: Endpoint): Json[] => [
  ...Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    [originKeywords.source]: true,
    schema: { type: 'string' },
  })),
  ...(method !== 'GET' && auth === 'key' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
]

const withExample = (schema: Json, example: unknown): Json => ({
  schema,
  ...(example !== undefined && { example }),
})

function successResponses(endpoint: Endpoint, { words, schemas, examples }: OperationParts): Json {
  const example = examples.responses[endpoint.name]
  const schema = schemas.answer(endpoint.output)
  const content = {
    'application/json': withExample(schema, example === undefined ? undefined : words.answer(example)),
  }
  return {
    [endpoint.status]: { description: 'Success', content },
    ...Object.fromEntries(
      Object.entries(endpoint.alsoStatus ?? {}).map(([status, description]) => [
        status,
        { description, content: { 'application/json': { schema } } },
      ]),
    ),
  }
}

const withoutFiles = (body: z.ZodObject): z.ZodObject =>
  z.object(Object.fromEntries(Object.entries(body.shape).filter(([name]) => !fileFields(body).includes(name))))

/** Returns the scope that an API key needs, and the condition under which it needs `spend`. */
function scopeExtension(name: EndpointName): Json {
  const condition: string | undefined = spendConditions[name as ConditionalEndpoint]
  return {
    'x-key-scope': endpointScopes[name],
    ...(condition !== undefined && { 'x-key-scope-spend-if': condition }),
  }
}

/**
 * Returns the operation of an endpoint. Programs of others read `operationId` and the extensions `x-risk`, `x-key-scope` and
 * `x-rate-limit`: names and values never change.
 */
export function createOperation(endpoint: Endpoint, tag: string, parts: OperationParts): Json {
  const { assumed, body, auth, limit } = endpoint
  const example = parts.examples.requests[endpoint.name]
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: describe(endpoint),
    tags: [tag],
    ...(auth === 'none' && { security: [] }),
    ...(assumed !== undefined && { [originKeywords.source]: assumed }),
    'x-risk': endpoint.risk,
    ...(auth !== 'control' && scopeExtension(endpoint.name as EndpointName)),
    ...(limit && { 'x-rate-limit': { max: limit.max, seconds: limit.seconds } }),
    parameters: [
      ...parameters(endpoint.params, 'path', parts),
      ...parameters(endpoint.query, 'query', parts),
      ...headerParameters(endpoint),
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: {
          'application/json': withExample(
            // JSON cannot carry a file.
            parts.schemas.input(fileFields(body).length > 0 ? withoutFiles(body) : body),
            example === undefined ? undefined : parts.words.request(example),
          ),
          ...(fileFields(body).length > 0 && { 'multipart/form-data': { schema: parts.schemas.input(body) } }),
        },
      },
    }),
    responses: { ...successResponses(endpoint, parts), ...parts.errors.of(endpoint) },
  }
}
