import { isObject } from '../values/json-object.ts'
import { createCodec, createResponseTranslator, freeFormKeys, type Vocabulary } from '../vocabulary/vocabulary.ts'

type Json = Record<string, unknown>

/**
 * Translates paths, names and schemas of an OpenAPI document into the words of a deployment. The server translates requests
 * and responses by the same vocabulary (vocabulary.ts): the document must say what it takes and answers.
 */
export interface OpenApiTranslator {
  path(template: string): string
  /** Translates the name of a parameter or field. */
  name(name: string): string
  /**
   * Translates a JSON Schema. For an `answer`, also applies the way the deployment writes numbers, booleans and lists.
   */
  schema(schema: Json, at: string, answer: boolean): Json
  /** Translates an example of a request body. */
  request(body: unknown): unknown
  /** Translates an example of a response. */
  answer(body: unknown): unknown
  /** Translates an example of an error response. */
  refusal(body: unknown): unknown
}

/** Returns the translator of a vocabulary. Without a vocabulary, nothing is changed. */
export function createOpenApiTranslator(vocabulary: Vocabulary | undefined): OpenApiTranslator {
  const same = <T>(it: T): T => it
  if (!vocabulary) return { path: same, name: same, schema: same, request: same, answer: same, refusal: same }
  const codec = createCodec(vocabulary)
  const { outgoing, refusal } = createResponseTranslator(vocabulary)
  const { decimals = {}, bits = [], wrapped = {} } = vocabulary

  function schema(json: Json, at: string, answer: boolean): Json {
    if (freeFormKeys.has(at)) return json
    if (answer && json.type === 'number' && Object.hasOwn(decimals, at))
      return { type: 'string', pattern: '^-?\\d+\\.\\d+$', ...withDescription(json) }
    if (answer && json.type === 'boolean' && bits.includes(at))
      return { type: 'integer', enum: [0, 1], ...withDescription(json) }
    const result: Json = {}
    for (const [keyword, value] of Object.entries(json)) result[keyword] = keywordOf(keyword, value, at, answer)
    const inside = Object.hasOwn(wrapped, at) ? wrapped[at] : undefined
    return answer && inside !== undefined && isObject(result.properties) && result.type === 'object'
      ? wrapSchema(result, inside)
      : result
  }

  function keywordOf(keyword: string, value: unknown, at: string, answer: boolean): unknown {
    if (keyword === 'properties' && isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, child]) => [codec.key(name), schema(child as Json, name, answer)]),
      )
    if (keyword === '$defs' && isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, schema(child as Json, '', answer)]))
    if (keyword === 'required' && Array.isArray(value)) return value.map((name) => codec.key(String(name)))
    if (keyword === 'enum' && Array.isArray(value)) return value.map((it) => codec.value(at, it))
    if (keyword === 'const' || keyword === 'default') return codec.value(at, value)
    if (keyword.startsWith('x-') || keyword === 'examples') return value
    if (Array.isArray(value)) return value.map((it) => (isObject(it) ? schema(it, at, answer) : it))
    return isObject(value) ? schema(value, at, answer) : value
  }

  return {
    path: codec.path,
    name: codec.key,
    schema,
    request: (body) => codec.outgoing(body as Json),
    answer: outgoing,
    refusal,
  }
}

const withDescription = ({ description }: Json): Json => (description === undefined ? {} : { description })

function wrapSchema(json: Json, inside: string): Json {
  const { type, ...rest } = json.properties as Json
  const required = ((json.required ?? []) as string[]).filter((name) => name !== 'type')
  return {
    type: 'object',
    properties: { type, [inside]: { ...json, properties: rest, required } },
    required: ['type', inside],
    additionalProperties: false,
  }
}
