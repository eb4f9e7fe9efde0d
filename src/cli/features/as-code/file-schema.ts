import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { longTextFields } from '../../../contract/endpoint/long-texts.ts'
import { toJsonSchema } from '../../../contract/openapi/item-types.ts'
import { acceptNames } from '../../../contract/openapi/names-for-ids.ts'
import { simplify } from '../../../contract/openapi/schema-translation.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { createDefinitionSchema } from '../../../engine/pieces/describe-pieces.ts'
import { stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { textFileField } from '../../program/input/text-files.ts'
import { resources } from '../../program/resources/registry.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import type { Layout } from './compare-folder.ts'
import { schemaFolder } from './resource-file.ts'

type Json = Record<string, unknown>

/**
 * Returns the JSON Schema (draft 2020-12) of the files of a kind, for editors: references are names, and a text may be
 * a variable such as `${CRM_TOKEN}`. Only the field that identifies the resource is required, because a push leaves
 * fields that are not in a file unchanged. `pull` writes it into projects, and `parley schema` prints it. Editors alone read it.
 */
export function createFileSchema(kind: ResourceFiles): Json {
  const { noun, nameField = 'name', documentSchema, references } = kind
  const named = references.reduce<unknown>(
    (schema, { path, to }) => acceptNames(schema, path.split('.'), `Name: ${resources[to].singular}`),
    simplify(toJsonSchema(documentSchema, 'input')),
  ) as Json
  const { $defs = {}, properties, ...rest } = withDefinition(acceptVariables(named) as Json)
  const textFiles = longTextFields(documentSchema).map((field) => [
    textFileField(field),
    { type: 'string', description: `Path of a file with the ${field}, such as front-desk.md` },
  ])
  return {
    ...rest,
    title: noun,
    description: `File in the folder ${noun} of a project`,
    properties: { ...(properties as Json), ...Object.fromEntries(textFiles) },
    required: [nameField],
    additionalProperties: false,
    $defs,
  }
}

/** Replaces the definition of an automation by the one with the inputs of each action and trigger. */
function withDefinition(schema: Json): Json {
  const properties = schema.properties as Json
  if (!Object.hasOwn(properties, 'flow')) return schema
  const { $schema: _, $defs, ...flow } = simplify(acceptTextForNumbers(createDefinitionSchema())) as Json
  return { ...schema, properties: { ...properties, flow }, $defs: { ...(schema.$defs as Json), ...($defs as Json) } }
}

/** Lets inputs of steps hold names or expressions in place of numbers, such as those of assistants and numbers. */
const acceptTextForNumbers = (value: unknown): unknown =>
  mapSchemas(value, (schema) =>
    schema.type === 'integer' || schema.type === 'number' ? { ...schema, type: [schema.type, 'string'] } : schema,
  )

/** Lets texts with a format or a pattern hold a variable, whose value is not in the file. */
const acceptVariables = (value: unknown): unknown =>
  mapSchemas(value, (schema) => {
    if (schema.type !== 'string' || (schema.format === undefined && schema.pattern === undefined)) return schema
    const { description, ...plain } = schema
    return {
      ...(description !== undefined && { description }),
      anyOf: [plain, { type: 'string', pattern: '\\$\\{\\w+\\}' }],
    }
  })

/** Changes every object of a schema, innermost first. */
function mapSchemas(value: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((it) => mapSchemas(it, change))
  if (!isObject(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapSchemas(inner, change)])))
}

/** Writes the schemas of the kinds that a project has files of, where they differ. */
export function writeFileSchemas(folder: string, layout: Layout): void {
  for (const [below, kind] of layout) {
    if (below === '' || !existsSync(join(folder, below))) continue
    const file = join(folder, schemaFolder, `${below}.json`)
    const text = `${stringifyJson(createFileSchema(kind), null, 2)}\n`
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    makeFolder(dirname(file))
    replaceFile(file, text, { mode: 'keep' })
  }
}
