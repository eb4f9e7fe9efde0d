import { stringifyJson } from '../../node/json.ts'
import { originKeywords } from '../endpoint/endpoint-origins.ts'
import { isObject } from '../values/json-object.ts'
import { pascalCase } from './item-types.ts'
import { schemaPath } from './schema-translation.ts'

type Json = Record<string, unknown>

/** Minimum length of the JSON of an object for a name. A reference to a smaller one is harder to read than the object. */
const minLength = 200

/** Keywords that describe the place of a schema. They stay beside a reference. */
const placeKeywords: ReadonlySet<string> = new Set(['description', 'default', ...Object.values(originKeywords)])

function splitPlace(schema: Json): { readonly place: Json; readonly content: string } {
  const entries = Object.entries(schema)
  return {
    place: Object.fromEntries(entries.filter(([name]) => placeKeywords.has(name))),
    content: stringifyJson(Object.fromEntries(entries.filter(([name]) => !placeKeywords.has(name)))),
  }
}

const isObjectSchema = (it: Json): boolean => it.type === 'object' && isObject(it.properties)

/**
 * Replaces equal schemas by references to components. Clients that others generate have types of these names: a schema that
 * changes its name breaks them, and shows in test/golden/openapi.json.
 */
export class NamedSchemas {
  readonly #names = new Map<string, string>()
  readonly #schemas: Json = {}

  /** Adds a schema under a name, unless an equal one has a name. */
  add(name: string, schema: Json): void {
    const reduced = this.#inside(schema)
    const { content } = splitPlace(reduced)
    if (this.#names.has(content) || Object.hasOwn(this.#schemas, name)) return
    this.#names.set(content, name)
    this.#schemas[name] = reduced
  }

  /** Returns a value in which named schemas, at any depth, are references. */
  replace(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.replace(item))
    if (!isObject(value)) return value
    const reduced = this.#inside(value)
    if (!isObjectSchema(reduced)) return reduced
    const { place, content } = splitPlace(reduced)
    const name = this.#names.get(content)
    return name === undefined ? reduced : { $ref: schemaPath + name, ...place }
  }

  /** Returns the components by name. */
  components(): Json {
    return this.#schemas
  }

  #inside(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [name, isData(name) ? value : this.replace(value)]),
    )
  }
}

/** Whether the value of a keyword is data and not a schema. */
const isData = (keyword: string): boolean =>
  keyword === 'example' || keyword === 'examples' || keyword === 'enum' || keyword.startsWith('x-')

const singular = (text: string): string => text.replace(/ies$/, 'y').replace(/(?<![su])s$/, '')

/** Returns the objects that are in the responses and requests of a resource more than once, with a name for each. */
export function repeatedSchemas(root: unknown, owner: string): [name: string, schema: Json][] {
  const found = new Map<string, { name: string; schema: Json; timesUsed: number }>()
  function visit(child: unknown, property: string): void {
    if (Array.isArray(child)) for (const item of child) visit(item, property)
    if (!isObject(child)) return
    if (isObjectSchema(child)) {
      const { content } = splitPlace(child)
      const known = found.get(content)
      if (known) known.timesUsed++
      else found.set(content, { name: property, schema: child, timesUsed: 1 })
    }
    for (const [name, inner] of Object.entries(child)) {
      if (isData(name)) continue
      if (name === 'properties' && isObject(inner))
        for (const [field, schema] of Object.entries(inner)) visit(schema, field)
      else visit(inner, property)
    }
  }
  visit(root, '')
  return [...found.values()]
    .filter(({ name, timesUsed, schema }) => name !== '' && timesUsed > 1 && stringifyJson(schema).length >= minLength)
    .map(({ name, schema }) => [name === 'data' ? `${owner}Details` : owner + singular(pascalCase(name)), schema])
}
