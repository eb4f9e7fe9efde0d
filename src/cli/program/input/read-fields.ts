import type * as z from 'zod'
import { coerce, coerceDeep, isNullable, schemaDefinition, unwrap } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { readOnlyFields } from '../../../contract/endpoint/read-only-fields.ts'
import { parseJson } from '../../../node/json.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import { type BodySources, type FieldFlag, isScalarList } from '../commandline/field-flags.ts'
import { spelledAs } from '../commandline/spelling.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'
import { isFieldPath, setFieldPath } from './field-path.ts'
import { isName } from './ids.ts'
import { splitPair } from './parse-variables.ts'
import { parseDocument, readDocument } from './read-document.ts'

/**
 * Combines flags, --set, --file and --data to the input of an endpoint, in this order of precedence: flags win. It contains only
 * fields that were passed. `reads` converts a document to fields.
 */
export async function readFields(
  system: System,
  endpoint: Endpoint,
  flags: readonly FieldFlag[],
  given: Readonly<Record<string, unknown>>,
  sources: BodySources,
  reads?: (document: unknown, where: string) => Promise<Record<string, unknown>>,
  takesLists = false,
): Promise<Record<string, unknown>> {
  const schema = endpoint.body ?? endpoint.query
  const input: Record<string, unknown> = {}
  const read = (document: unknown, where: string) => (reads ? reads(document, where) : (document as object))
  if (sources.data !== undefined)
    Object.assign(input, await read(await parseDocument(sources.data, '--data', schema, !takesLists), '--data'))
  if (sources.file !== undefined)
    Object.assign(
      input,
      await read(await readDocument(system, sources.file, schema, '--file', !takesLists), sources.file),
    )
  if (sources.set || sources.setJson || sources.unset) {
    for (const pair of sources.set ?? []) setFieldPath(input, ...splitPair(pair, '--set', 'path=value'))
    for (const pair of sources.setJson ?? []) {
      const [path, text] = splitPair(pair, '--set-json', 'path=value')
      setFieldPath(input, path, parseFlagJson(text, `--set-json ${path}`))
    }
    for (const path of sources.unset ?? []) setFieldPath(input, path, null)
  }
  for (const flag of flags) {
    const value = given[flag.key]
    if (value !== undefined) input[flag.field] = await parseFlagValue(system, flag, value)
  }
  for (const [field, value] of Object.entries(input)) requireExactInteger(schema, field, value)
  return input
}

/** Rejects an integer beyond 2^53 in a numeric field, which a platform could round to another amount. Ids keep all digits. */
function requireExactInteger(schema: Endpoint['body'], field: string, value: unknown): void {
  if (typeof value !== 'bigint' || /(?:^|_)id$/.test(field) || !schema || !Object.hasOwn(schema.shape, field)) return
  if (['integer', 'number'].includes(unwrap(schema.shape[field]).kind))
    throw usageError(`${field}: ${value} is not a valid integer. The largest is 2^53 - 1.`)
}

/** Replaces names of resources in the input by their ids. Reads nothing if there are only ids. @throws ClientFailure `not_found`, `usage` */
export async function resolveNames(
  context: Context,
  flags: readonly FieldFlag[],
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const named = flags.filter(({ field, takesNames }) => takesNames && [input[field]].flat().some(isName))
  if (named.length === 0) return input
  return (await import('./resolve-field-names.ts')).resolveFieldNames(context, named, input)
}

/**
 * Parses the value of a field's flag. Users have such values in scripts, so it never accepts less:
 * - `null` clears a field that may be null;
 * - a text, number, true or false is read as the type of the field, and a choice in any spelling (`In progress`);
 * - a list of such values may be `a,b`, without quotes or brackets;
 * - `@file` reads a list or object from a file, and any other text is JSON or YAML.
 */
async function parseFlagValue(system: System, flag: FieldFlag, value: unknown): Promise<unknown> {
  if (typeof value === 'boolean') return value
  const text = String(value)
  const { kind } = unwrap(flag.schema)
  if (text === 'null') {
    if (isNullable(flag.schema)) return null
    if (flag.isUpdate)
      throw usageError(`${flag.long} cannot be cleared. The field always has a value.`, nullHint(flag, kind))
  }
  if (kind !== 'array' && kind !== 'object' && kind !== 'record')
    return coerce(flag.schema, spelledAs(text, flag.choices ?? []) ?? text)
  if (isScalarList(flag.schema) && isCommaList(text))
    return coerceDeep(
      flag.schema,
      text
        .split(',')
        .map((it) => it.trim())
        .filter((it) => it !== ''),
    )
  if (text.startsWith('@')) return readDocument(system, text.slice(1), flag.schema, flag.long)
  return parseDocument(text, flag.long, flag.schema, false)
}

const nullHint = ({ field, long }: FieldFlag, kind: string): string =>
  kind === 'string'
    ? `To send the text "null": --set ${field}=null.`
    : kind === 'array'
      ? `For an empty list: ${long} '[]'.`
      : 'Omit the flag to leave the field unchanged.'

/** Returns whether a text can only be `a,b`: JSON and YAML would not read it as a list or object. */
const isCommaList = (text: string): boolean => !/[[\]{}"'\n]|^[-@]|: |:$/.test(text) && text.trim() !== ''

function parseFlagJson(text: string, where: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw usageError(
      `${where} is not valid JSON: ${(error as Error).message}`,
      'Quote text as JSON: --set-json name=\'"Front desk"\'. Or use --set.',
    )
  }
}

/** Commands that set a field which is otherwise read-only. */
const setterHints: Readonly<Record<string, string>> = {
  'assistants.update status': 'Run parley assistants activate or parley assistants deactivate.',
  'assistants.create status': 'New assistants are inactive. Run parley assistants activate afterwards.',
}

/**
 * Rejects fields in --set, --set-json and --unset that the endpoint does not accept, because a lenient platform would
 * report success and change nothing. Fields of a document (--file, --data) are left to the platform, so that a
 * downloaded record can be sent back.
 *
 * @throws ClientFailure `usage` with the field
 */
export function requireExplicitFields(
  words: string,
  endpoint: Endpoint,
  document: z.ZodType | undefined,
  { set = [], setJson = [], unset = [] }: BodySources,
): void {
  const shape = document && schemaDefinition(document).shape
  if (!endpoint.body || !shape) return
  const readOnly = readOnlyFields(endpoint)
  const accepted = [
    ...Object.keys(shape),
    ...Object.keys(endpoint.body.shape),
    ...Object.keys(endpoint.query?.shape ?? {}),
  ]
  for (const given of [...set, ...setJson, ...unset]) {
    const [path = ''] = given.split('=', 1)
    // Invalid paths are reported later, when they are parsed.
    if (!isFieldPath(path)) continue
    const [field = ''] = path.split('.', 1)
    if (accepted.includes(field)) continue
    const remedy = setterHints[`${endpoint.name} ${field}`]
    if (readOnly.has(field) || remedy)
      throw usageError(`Field "${field}" is read-only in "parley ${words}". Nothing was sent.`, remedy)
    const guess = closestMatch(field, accepted)
    throw usageError(
      `Unknown field "${field}" in "parley ${words}".${guess ? ` Did you mean "${guess}"?` : ''} Nothing was sent.`,
      `List fields: parley schema ${endpoint.name}. To send any field, use parley api ${endpoint.name}.`,
    )
  }
}
