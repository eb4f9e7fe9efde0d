import type { Endpoint } from '../endpoint/endpoint.ts'
import { envelopes, type FailureKind } from '../errors/exit-codes.ts'
import { type FailureName, failures, wireCode } from '../errors/failures.ts'
import { errorSchemas, throttledSchema } from './error-schemas.ts'
import type { OpenApiExamples } from './examples.ts'
import { type GeneralFailure, generalFailures, generalResponses } from './general-failures.ts'
import type { OpenApiTranslator } from './openapi-translator.ts'
import { schemaPath } from './schema-translation.ts'

type Json = Record<string, unknown>

const responsePath = '#/components/responses/'
const headerPath = '#/components/headers/'
const examplePath = '#/components/examples/'

/** Descriptions of headers of error responses, by name. */
const headers: Readonly<Record<string, readonly [type: 'integer' | 'string', description: string]>> = {
  'Retry-After': ['integer', 'Seconds to wait before the next request'],
  'X-RateLimit-Limit': ['integer', 'Maximum number of requests in the period; absent for too many wrong API keys'],
  'X-RateLimit-Remaining': ['integer', 'Number of requests left in the period; absent for too many wrong API keys'],
  Allow: ['string', 'Methods of the path'],
}

const failureHeaders: Readonly<Partial<Record<FailureName, readonly string[]>>> = {
  throttled: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'],
  unavailable: ['Retry-After'],
  wrong_method: ['Allow'],
}

const kinds = failures as Readonly<Record<FailureName, FailureKind>>
const isGeneral = (name: FailureName): name is GeneralFailure => Object.hasOwn(generalResponses, name)

const schemaOf = (name: FailureName): readonly [name: string, schema: Json] =>
  name === 'throttled' ? throttledSchema : errorSchemas[kinds[name].envelope]

/** Error responses of the endpoints of one document. */
export interface ErrorResponses {
  /** Returns the error responses of an endpoint by status. */
  of(endpoint: Endpoint): Json
  /** Components that the responses returned so far refer to. */
  components(): { readonly responses: Json; readonly schemas: Json; readonly headers: Json; readonly examples: Json }
}

/**
 * Creates the error responses of a document. Each failure has its envelope and its text as an example. Names of responses and
 * schemas are names in the clients that others generate: they never change.
 */
export function createErrorResponses(words: OpenApiTranslator, { failures: bodies }: OpenApiExamples): ErrorResponses {
  const schemas: Json = {}
  const responses: Json = {}
  const usedHeaders: Json = {}
  const examples: Json = {}

  function schemaReference(name: FailureName): string {
    const [schema, answer] = schemaOf(name)
    schemas[schema] ??= words.schema(answer, '', false)
    return schemaPath + schema
  }

  function headerReference(name: string): Json {
    const [type, description] = headers[name] ?? ['string', '']
    usedHeaders[name] ??= { description, schema: { type } }
    return { $ref: headerPath + name }
  }

  /** Returns a reference to the example of a failure. Endpoints differ in the message about invalid fields. */
  function exampleReference(name: FailureName, message: string | undefined): Json {
    const { envelope, text, extra } = kinds[name]
    const body = bodies[name] ?? envelopes[envelope]({ text, code: wireCode(name), ...(extra && { extra }) })
    const isOther = name === 'invalid' && message !== undefined && message !== text
    const key = isOther ? `invalid.${message.startsWith('Validation') ? 'failed' : 'field'}` : name
    examples[key] ??= { value: words.refusal(isOther ? { ...(body as Json), message } : body) }
    return { $ref: examplePath + key }
  }

  function response(names: readonly FailureName[], message?: string): Json {
    const references = [...new Set(names.map(schemaReference))].map(($ref) => ({ $ref }))
    const headerNames = names.flatMap((it) => failureHeaders[it] ?? [])
    return {
      description: [...new Set(names.map((it) => kinds[it].text))].join(' '),
      ...(headerNames.length > 0 && {
        headers: Object.fromEntries(headerNames.map((it) => [it, headerReference(it)])),
      }),
      content: {
        'application/json': {
          schema: references.length === 1 ? references[0] : { anyOf: references },
          examples: Object.fromEntries(names.map((it) => [it, exampleReference(it, message)])),
        },
      },
    }
  }

  /** Returns a reference to a response that several endpoints share. */
  function shared(name: string, create: () => Json): Json {
    responses[name] ??= create()
    return { $ref: responsePath + name }
  }

  const messageOf = ({ validationMessage }: Endpoint): string | undefined =>
    validationMessage === 'first' ? 'The name field is required.' : validationMessage

  function ofStatus(endpoint: Endpoint, names: readonly FailureName[]): Json {
    const [name] = names
    if (name === undefined) return response(names, messageOf(endpoint))
    // Failures of any endpoint with the same status occur together.
    if (names.length > 1)
      return names.every(isGeneral)
        ? shared(generalResponses[name as GeneralFailure], () => response(names))
        : response(names, messageOf(endpoint))
    if (!isGeneral(name)) return shared(name, () => response(names))
    const message = name === 'invalid' ? messageOf(endpoint) : undefined
    if (message === undefined || message === kinds.invalid.text)
      return shared(generalResponses[name], () => response(names))
    return shared(endpoint.validationMessage === 'first' ? 'InvalidField' : 'ValidationFailed', () =>
      response(names, message),
    )
  }

  return {
    of(endpoint) {
      const byStatus = new Map<number, FailureName[]>()
      for (const name of [...endpoint.errors, ...generalFailures(endpoint)]) {
        const names = byStatus.get(kinds[name].status) ?? []
        if (!names.includes(name)) byStatus.set(kinds[name].status, [...names, name])
      }
      const entries = [...byStatus].map(([status, names]): [string, Json] => [
        String(status),
        ofStatus(endpoint, names),
      ])
      // The server closes the connection without a body.
      if (endpoint.body)
        entries.push([
          '408',
          shared('RequestTimeout', () => ({ description: 'The request was not received in time.' })),
        ])
      return Object.fromEntries(entries)
    },
    components: () => ({ responses, schemas, headers: usedHeaders, examples }),
  }
}
