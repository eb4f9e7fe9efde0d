import type * as z from 'zod'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { isObject } from '../values/json-object.ts'
import { toJsonSchema } from './item-types.ts'
import type { OpenApiTranslator } from './openapi-translator.ts'

type Json = Record<string, unknown>

/** Location of named schemas in the document. openapi-document.ts writes them there. */
export const schemaPath = '#/components/schemas/'

/** Schemas of one document in the words of its deployment. */
export interface SchemaTranslation {
  /** Returns the schema of a request part. */
  input(schema: z.ZodType): Json
  /** Returns the schema of a response. */
  answer(schema: z.ZodType): Json
  /** Definitions of recursive schemas that were found so far, by name. It is called after all others, because they find them. */
  definitions(): Json
}

/** Removes what JSON implies: integers that JavaScript can represent, and texts as names of properties. */
export function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, value]) =>
          !(
            (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
            (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
            (name === 'propertyNames' && isObject(value) && value.type === 'string' && Object.keys(value).length === 1)
          ),
      )
      .map(([name, value]) => [name, simplify(value)]),
  )
}

/** Creates the translation of schemas of the contract to JSON Schema for one document. */
export function createSchemaTranslation(words: OpenApiTranslator): SchemaTranslation {
  const defs: Json = {}

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, ...plain } = simplify(toJsonSchema(schema, io)) as Json
    if (plain.$defs === undefined) return plain
    const { $defs, ...rest } = parseJson(stringifyJson(plain).replaceAll('"#/$defs/', `"${schemaPath}`)) as Json
    for (const [name, schema] of Object.entries($defs as Json)) {
      const { id: _, ...definition } = schema as Json
      defs[name] = definition
    }
    return rest
  }

  return {
    input: (schema) => words.schema(convert(schema, 'input'), '', false),
    answer: (schema) => words.schema(convert(schema, 'output'), '', true),
    definitions: () =>
      Object.fromEntries(
        Object.entries(defs).map(([name, definition]) => [name, words.schema(definition as Json, '', false)]),
      ),
  }
}
