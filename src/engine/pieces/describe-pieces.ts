import { AutomationNode } from '../../contract/automations/automation-node.ts'
import {
  allowedValues,
  descriptionOf,
  isRequired,
  numberRange,
  schemaDefinition,
  unwrap,
} from '../../contract/endpoint/coerce.ts'
import * as z from '../../contract/schema/schema.ts'
import type { JsonObject } from '../definition/node.ts'
import type { Action, Trigger } from './piece.ts'
import { packageNameOf, pieces } from './registry.ts'

/** Field of the input of an action or trigger. */
export interface PieceField {
  readonly name: string
  /** For people: `text`, `whole number`, `list`, `object`. */
  readonly type: string
  readonly isRequired: boolean
  /** Value that replaces a missing one; undefined if nothing does. */
  readonly default?: unknown
  readonly values?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly meaning?: string
}

/** Action or trigger of a piece, for the reference: `parley schema` takes `key`, and help lists it. */
export interface DescribedPiece {
  /** `http.send_request`. */
  readonly key: string
  readonly piece: string
  readonly name: string
  readonly kind: 'action' | 'trigger'
  readonly title: string
  /** Package of its steps: `@engine/piece-http`. */
  readonly packageName: string
  /** Sentence about what a test does for real; undefined if it has no effects outside. */
  readonly effect?: string
  /** Connection that it requires. */
  readonly connection?: string
  readonly fields: readonly PieceField[]
  readonly example: JsonObject
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  enum: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  array: 'list',
  object: 'object',
  record: 'object',
}

/** How meanings of dates begin. */
const dateMeaning = 'Date and time'

function describeField(name: string, schema: z.ZodType): PieceField {
  const meaning = descriptionOf(schema) ?? descriptionOf(unwrap(schema).base)
  const isDate = meaning?.startsWith(dateMeaning) === true
  const values = allowedValues(schema)?.map(String)
  const missing = isRequired(schema) ? undefined : schema.safeParse(undefined).data
  const isEmpty =
    missing === undefined || missing === '' || (typeof missing === 'object' && !Object.keys(Object(missing)).length)
  return {
    name,
    type: isDate ? 'date and time' : (typeNames[unwrap(schema).kind] ?? 'any value'),
    isRequired: isRequired(schema),
    ...(!isEmpty && { default: missing }),
    ...(values && { values }),
    ...(!isDate && finiteRange(schema)),
    ...(meaning !== undefined && { meaning }),
  }
}

function finiteRange(schema: z.ZodType): { readonly min?: number; readonly max?: number } {
  const { min, max } = numberRange(schema)
  const isSafe = (it: number | undefined): it is number => it !== undefined && Math.abs(it) < Number.MAX_SAFE_INTEGER
  return { ...(isSafe(min) && { min }), ...(isSafe(max) && { max }) }
}

const fieldsOf = (input: z.ZodType): readonly PieceField[] =>
  Object.entries(schemaDefinition(unwrap(input).base).shape ?? {}).map(([name, schema]) => describeField(name, schema))

function effectOf({ hasSideEffects, changesExternalData }: Action<never>): string | undefined {
  if (typeof hasSideEffects === 'function')
    return 'A request other than GET is sent for real in a test, after you confirm.'
  if (hasSideEffects) return 'A test does this for real, after you confirm.'
  return changesExternalData ? 'A test changes the connected data for real.' : undefined
}

/** Describes every action and trigger of the pieces of this platform, from their schemas. */
export const describePieces = (): readonly DescribedPiece[] =>
  pieces.flatMap(({ names, actions, triggers }) => {
    const [piece = ''] = names
    const packageName = packageNameOf({ names })
    const describe = (kind: 'action' | 'trigger', name: string, described: Action<never> | Trigger): DescribedPiece => {
      const effect = 'run' in described ? effectOf(described) : undefined
      return {
        key: `${piece}.${name}`,
        piece,
        name,
        kind,
        title: described.title,
        packageName,
        ...(effect !== undefined && { effect }),
        ...(described.connection !== undefined && { connection: described.connection }),
        fields: fieldsOf(described.input),
        example: described.example,
      }
    }
    return [
      ...Object.entries(triggers).map(([name, trigger]) => describe('trigger', name, trigger)),
      ...Object.entries(actions).map(([name, action]) => describe('action', name, action)),
    ]
  })

/** Returns the step or trigger of an example, as a definition has it. */
export function exampleNode({ kind, name, packageName, example, connection }: DescribedPiece): JsonObject {
  const auth = connection === undefined ? {} : { auth: `{{connections['my ${connection}']}}` }
  const names = kind === 'action' ? { actionName: name } : { triggerName: name }
  return {
    type: kind === 'action' ? 'PIECE' : 'PIECE_TRIGGER',
    ...(kind === 'trigger' && { name: 'trigger' }),
    settings: { pieceName: packageName, ...names, input: { ...auth, ...example } },
  }
}

/** Returns the JSON Schema of the input of an action or trigger. Every field may also be an expression. */
export function inputSchemaOf({ title, fields, example }: DescribedPiece): JsonObject {
  const jsonTypes: Readonly<Record<string, string>> = {
    text: 'string',
    'date and time': 'string',
    'whole number': 'integer',
    number: 'number',
    'true or false': 'boolean',
    list: 'array',
    object: 'object',
  }
  const properties = Object.fromEntries(
    fields.map((field) => {
      const type = jsonTypes[field.type]
      const about = {
        ...(field.meaning && { description: field.meaning }),
        ...(field.default !== undefined && { default: field.default }),
      }
      const range = {
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      }
      const own = { ...(type && { type }), ...(field.values && { enum: field.values }), ...range }
      // A text with an expression is converted when the step runs.
      const expression = { type: 'string', pattern: '\\{\\{' }
      return [
        field.name,
        Object.keys(own).length === 0 || (type === 'string' && !field.values)
          ? { ...own, ...about }
          : { anyOf: [own, expression], ...about },
      ]
    }),
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    type: 'object',
    properties,
    required: fields.filter((it) => it.isRequired).map((it) => it.name),
    additionalProperties: true,
    examples: [example],
  }
}

/**
 * Returns the JSON Schema of a definition: its steps, and the input of each action and trigger. `parley schema` prints it, and
 * editors check files with it: it must accept what `push` accepts.
 */
export function createDefinitionSchema(): JsonObject {
  const definition = z.object({ trigger: AutomationNode, steps: z.array(AutomationNode).optional() })
  const schema = z.toJSONSchema(definition, { io: 'input', unrepresentable: 'any' }) as JsonObject
  const node = (schema.$defs as Readonly<Record<string, JsonObject>>).AutomationNode ?? {}
  const inputs = describePieces().map((piece) => {
    const names = {
      pieceName: { const: piece.packageName },
      [piece.kind === 'action' ? 'actionName' : 'triggerName']: { const: piece.name },
    }
    const { $schema: _, ...input } = inputSchemaOf(piece)
    return {
      if: { properties: { settings: { properties: names, required: Object.keys(names) } }, required: ['settings'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { settings: { properties: { input } } } },
    }
  })
  return {
    ...schema,
    title: 'automation',
    description: 'Definition of an automation: a trigger and its steps',
    $defs: { ...(schema.$defs as JsonObject), AutomationNode: { ...node, allOf: inputs } },
  }
}
