type Json = Readonly<Record<string, unknown>>

/** Properties that a TypeScript type cannot express without quotes need them. */
const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const literal = (value: unknown): string => (typeof value === 'string' ? quoted(value) : JSON.stringify(value))

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const comment = ({ description }: Json): string =>
  typeof description === 'string' ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : ''

/** Names of types in other places of the file. */
export interface TypeNames {
  /** Returns the name of the type of a definition. */
  readonly definition: (name: string) => string
  /** Returns the name of an equal type, else the type itself. */
  readonly equal: (type: string) => string
}

/** Returns a schema as TypeScript, on several lines, for the published types of the client. @throws Error for an unknown type */
export function schemaType(schema: Json, names: TypeNames): string {
  const type = (it: unknown): string => names.equal(schemaType(it as Json, names))
  const { $ref, enum: values, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') return names.definition($ref.slice($ref.lastIndexOf('/') + 1))
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(values)) return [...new Set(values.map(literal))].join(' | ')
  const union = anyOf ?? oneOf
  if (Array.isArray(union)) return [...new Set(union.map(type))].join(' | ')
  if (Array.isArray(allOf)) return allOf.map((it) => `(${type(it)})`).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((it) => type({ ...schema, type: it })).join(' | ')
  switch (schema.type) {
    case undefined:
      return 'unknown'
    case 'string':
      return schema.format === 'binary' ? 'File' : 'string'
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayType(schema, type)
    case 'object':
      return objectType(schema, type)
    default:
      throw new Error(`No TypeScript type is known for the schema ${JSON.stringify(schema)}`)
  }
}

function arrayType({ items, prefixItems }: Json, type: (item: unknown) => string): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(type).join(', ')}]`
  const item = items === undefined ? 'unknown' : type(items)
  return /[|&]/.test(item.replace(/\{[\s\S]*\}/, '')) ? `(${item})[]` : `${item}[]`
}

function objectType(schema: Json, type: (schema: unknown) => string): string {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Json>
    required?: readonly string[]
    additionalProperties?: unknown
  }
  const lines = Object.entries(properties).map(
    ([name, property]) =>
      `${comment(property)}${propertyName(name)}${required.includes(name) ? '' : '?'}: ${type(property)}`,
  )
  const isOpen = typeof additionalProperties === 'object' && additionalProperties !== null
  if (lines.length === 0) return `Record<string, ${isOpen ? type(additionalProperties) : 'unknown'}>`
  const fields = `{\n${lines.join('\n').replace(/^/gm, '  ')}\n}`
  return isOpen ? `${fields} & Record<string, unknown>` : fields
}
