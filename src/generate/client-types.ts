import type * as z from 'zod'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { itemName, itemSchema, pascalCase, toJsonSchema } from '../contract/openapi/item-types.ts'
import { contract } from '../contract/resources/index.ts'
import { schemaType, type TypeNames } from './json-schema-type.ts'

type Json = Record<string, unknown>

/** Named types. Equal types inside of others are replaced by their name. */
class TypeTable {
  readonly #types = new Map<string, string>()
  readonly #names = new Map<string, string>()

  /** Returns the type of a schema. Its definitions, such as recursive parts, get names. */
  print(schema: z.ZodType, io: 'input' | 'output'): string {
    return this.printJson(toJsonSchema(schema, io))
  }

  printJson({ $defs = {}, $schema: _, ...json }: Json): string {
    const definition = (name: string): string => pascalCase(name)
    const names: TypeNames = { definition, equal: (text) => this.#names.get(text) ?? text }
    for (const [name, schema] of Object.entries($defs as Json)) {
      const { id: _, ...rest } = schema as Json
      this.add(definition(name), schemaType(rest, names))
    }
    return schemaType(json, names)
  }

  /** Adds a type, and returns its name. */
  add(name: string, text: string): string {
    const known = this.#names.get(text)
    this.#types.set(name, known === undefined || known === name ? text : known)
    if (known === undefined && text.includes('\n')) this.#names.set(text, name)
    return name
  }

  lines(): string[] {
    return [...this.#types].map(([name, text]) => `export type ${name} = ${text}\n`)
  }
}

/** Adds the type of the items of a list. Does nothing for other endpoints. */
function addItem(types: TypeTable, endpoint: Endpoint): void {
  const json = toJsonSchema(endpoint.output, 'output')
  const one = itemSchema(endpoint, json)
  if (one === undefined) return
  types.add(itemName(endpoint), types.printJson({ ...one, $defs: json.$defs ?? {} }))
}

/** Adds the input of an endpoint: its path, query and body fields. */
function addInput(types: TypeTable, { params, query, body, name }: Endpoint): { type: string; isOptional: boolean } {
  const parts = [params, query, body].filter((it) => it !== undefined)
  const printed = parts.map((it) => types.print(it, 'input')).filter((it) => !it.startsWith('Record<'))
  if (printed.length === 0) return { type: 'Record<string, never>', isOptional: true }
  return {
    type: types.add(`${pascalCase(name)}Input`, printed.join(' & ')),
    isOptional: parts.every((it) => it.safeParse({}).success),
  }
}

function method(types: TypeTable, verb: string, endpoint: Endpoint): string {
  const { type, isOptional } = addInput(types, endpoint)
  const output = types.add(`${pascalCase(endpoint.name)}Output`, types.print(endpoint.output, 'output'))
  const where = endpoint.capability === undefined ? '' : ' Only on a Parley server.'
  const note = `    /** ${endpoint.summary.replace(/\.?$/, '.')}${where} */\n`
  if (endpoint.items !== undefined && isOptional)
    return `${note}    readonly ${verb}: ListMethod<${type}, ${output}, ${itemName(endpoint)}>`
  if (endpoint.items !== undefined)
    return `${note}    readonly ${verb}: RequiredListMethod<${type}, ${output}, ${itemName(endpoint)}>`
  return `${note}    ${verb}(input${isOptional ? '?' : ''}: ${type}, options?: CallOptions): Promise<${output}>`
}

/**
 * Returns the file with the types of the client of applications: a method for every endpoint of the contract. Programs of
 * others use them: a type that gets another name breaks these programs. typed-client.ts exports them, and the build
 * publishes their declarations.
 */
export function clientTypesFile(): string {
  const types = new TypeTable()
  for (const table of Object.values(contract))
    for (const endpoint of Object.values(table) as Endpoint[]) addItem(types, endpoint)
  const resources = Object.entries(contract).map(([name, table]) => {
    const methods = Object.entries(table as Record<string, Endpoint>).map(([verb, endpoint]) =>
      method(types, verb, endpoint),
    )
    return `  readonly ${name}: {\n${methods.join('\n')}\n  }`
  })
  return `// Generated from the contract by "npm run generate".

/** Options of one call. */
export interface CallOptions {
  /** Key under which the platform carries out a billable operation once, also if it is sent again. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Timeout of one attempt in milliseconds. */
  readonly timeoutMs?: number
}

/** Reads one page of a list; \`all\` reads the items of all pages, one page at a time. */
export interface ListMethod<Input, Output, Item> {
  (input?: Input, options?: CallOptions): Promise<Output>
  all(input?: Input, options?: CallOptions): AsyncIterable<Item>
}

/** Like \`ListMethod\`, for a list that needs an input. */
export interface RequiredListMethod<Input, Output, Item> {
  (input: Input, options?: CallOptions): Promise<Output>
  all(input: Input, options?: CallOptions): AsyncIterable<Item>
}

/** The methods of the client: one for every endpoint, by resource. Every failure is a ClientError. */
export interface Resources {
${resources.join('\n')}
}

${types.lines().join('\n')}`
}
