import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type * as z from 'zod'
import {
  allowedValues,
  coerce,
  coerceDeep,
  defaultOf,
  descriptionOf,
  isNullable,
  numberRange,
  type QuotedScalars,
  schemaDefinition,
  unwrap,
} from '../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { findInexactInteger } from '../../contract/mechanics/inexact-integer.ts'
import type { System } from '../../system.ts'
import { usageError } from '../errors/usage-error.ts'
import { type ParsedYaml, readYaml, yamlErrorMessage } from '../input/read-yaml.ts'
import { InputTooLong, maxInputLength } from '../terminal/streams.ts'
import type { Command } from './command.ts'
import { globalFlagNames, shadowedGlobalFlags } from './global-flags.ts'

/** A field of an endpoint as a flag. */
export interface FieldFlag {
  readonly field: string
  readonly schema: z.ZodType
  /** `--body-format <json|form>`. */
  readonly flags: string
  readonly long: string
  /** The name its value has among the parsed flags. */
  readonly key: string
  /** Another name that works and is not shown: `--label-color`. */
  readonly alias?: string
  readonly describe: string
  readonly choices?: readonly string[]
  readonly default?: string
  readonly isBoolean: boolean
  /** Whether the field may hold something already. */
  readonly isUpdate: boolean
}

const kebab = (name: string): string => name.replaceAll('_', '-')
export const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const singular = (noun: string): string =>
  noun.replace(/s$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Names no field may have as its flag: those of every command with a body, and those that are refused for one release. */
const isReservedName = (name: string): boolean =>
  shadowedGlobalFlags[`--${name}`]?.refused !== undefined ||
  name === 'confirm' ||
  name === 'if-unchanged' ||
  bodyFlags.some((it) => it.flags.includes(`--${name} `))

/** Flags whose field has a misspelled name on the wire. The misspelled flag works too and is not shown. */
const correctedFlagNames: Readonly<Record<string, string>> = { allow_dupplicate: 'allow-duplicate' }

/** Whether a global flag gives way to a field of this name. */
const isGlobalName = (name: string): boolean => globalFlagNames.has(name.replace(/^no-/, ''))

/** Global names a list gets its page by; the endpoint's own parameters of that name need no second flag. */
const pageFields = new Set(['page', 'per_page'])

/** The flags an endpoint's fields become. A field keeps its name; one whose name is taken has its noun in front: `--tool-timeout`. */
export function fieldFlags({ endpoint, filledFields = [] }: Pick<Command, 'endpoint' | 'filledFields'>): FieldFlag[] {
  if (!endpoint) return []
  const fields = { ...endpoint.query?.shape, ...endpoint.body?.shape } as Record<string, z.ZodType>
  const noun = singular(endpoint.name.slice(0, endpoint.name.indexOf('.')))
  return Object.entries(fields)
    .filter(([field]) => !filledFields.includes(field) && !(endpoint.paged && pageFields.has(field)))
    .map(([field, schema]) => toFieldFlag(field, schema, noun, endpoint.method === 'PUT'))
}

/** `changes`: the field may hold something already, which a list replaces and null clears. */
function toFieldFlag(field: string, schema: z.ZodType, noun: string, changes: boolean): FieldFlag {
  const kebabName = kebab(field)
  const qualifiedName = `${noun}-${kebabName}`
  const corrected = correctedFlagNames[field]
  const name = corrected ?? (isReservedName(kebabName) ? qualifiedName : kebabName)
  const { kind } = unwrap(schema)
  const values = allowedValues(schema)?.map(String)
  const fallback = defaultOf(schema)
  const isList = isScalarList(schema)
  const placeholder = isList
    ? 'list'
    : ({ integer: 'n', number: 'n', array: 'json', object: 'json', record: 'json' }[kind as string] ?? 'text')
  const formats = isList
    ? ' (a,b or JSON, YAML, @file)'
    : kind === 'array' || kind === 'object' || kind === 'record'
      ? ' (JSON, YAML or @file)'
      : ''
  const replaces = changes && kind === 'array' ? '; replaces the whole list' : ''
  const clears = changes && isNullable(schema) ? '; "null" clears' : ''
  const purpose = descriptionOf(schema) ?? field
  const describe = `${purpose}${rangeText(schema, purpose)}${formats}${replaces}${clears}`
  return {
    field,
    schema,
    long: `--${name}`,
    key: camel(isGlobalName(name) ? qualifiedName : name),
    ...(isGlobalName(name) && { alias: `--${qualifiedName}` }),
    ...(corrected !== undefined && { alias: `--${kebabName}` }),
    flags: kind === 'boolean' ? `--${name}` : `--${name} <${placeholder}>`,
    describe,
    isBoolean: kind === 'boolean',
    isUpdate: changes,
    ...(values && kind !== 'boolean' && { choices: values }),
    ...(fallback !== undefined &&
      fallback !== null && { default: typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback) }),
  }
}

/** Bounds from here on only keep numbers from overflowing: nobody wants to know them. */
const unboundedFrom = 1_000_000

/** `, 1-30`, where a number has bounds that its purpose does not tell already. */
function rangeText(schema: z.ZodType, purpose: string): string {
  const { least, most } = numberRange(schema)
  if (most === undefined || most >= unboundedFrom || /\d/.test(purpose)) return ''
  return least === undefined ? `, at most ${most}` : `, ${least}-${most}`
}

/** Whether a list holds single values, none of which can have a comma or a bracket in it that would have to be quoted. */
function isScalarList(schema: z.ZodType): boolean {
  const { element } = schemaDefinition(unwrap(schema).base)
  return element !== undefined && /^(string|integer|number|enum)$/.test(unwrap(element).kind)
}

/** What can only be meant as `a,b`: nothing that JSON or YAML would read as a list or an object. */
const isCommaList = (text: string): boolean => !/[[\]{}"'\n]|^[-@]|: |:$/.test(text) && text.trim() !== ''

/** Where parts of a body come from besides its own flags. Offered by every command with a body. */
export const bodyFlags = [
  { flags: '-f, --file <path>', describe: 'Read fields from a JSON or YAML file; - for standard input' },
  { flags: '--data <json>', describe: 'Fields as JSON or YAML' },
  { flags: '--set <path=value>', describe: 'Set a field to a string; repeatable' },
  { flags: '--set-json <path=value>', describe: 'Set a field to a JSON value; repeatable' },
  { flags: '--unset <path>', describe: 'Set a field to null; repeatable' },
] as const

/** Guards an update against what somebody else changed in between. Offered by every update. */
export const ifUnchangedFlag = {
  flags: '--if-unchanged <path|time>',
  describe:
    'Write only if unchanged since it was read, else exit 5: a file printed by get -o json or yaml (- for standard input), or its updated_at',
} as const

export interface BodySources {
  readonly file?: string
  readonly data?: string
  readonly set?: readonly string[]
  readonly setJson?: readonly string[]
  readonly unset?: readonly string[]
}

/**
 * Combines flags, --set, --file and --data into the endpoint's input: the first of them that names a field wins. Only what was given is in it.
 * `reads` turns a document into fields where it may hold something else.
 */
export async function readFields(
  world: System,
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
      await read(await readDocument(world, sources.file, schema, '--file', !takesLists), sources.file),
    )
  if (sources.set || sources.setJson || sources.unset) {
    const { setFieldPath } = await import('../input/field-path.ts')
    for (const it of sources.set ?? []) setFieldPath(input, ...splitPair(it, '--set'))
    for (const it of sources.setJson ?? []) {
      const [path, text] = splitPair(it, '--set-json')
      setFieldPath(input, path, parseJson(text, `--set-json ${path}`))
    }
    for (const path of sources.unset ?? []) setFieldPath(input, path, null)
  }
  for (const flag of flags) {
    const value = given[flag.key]
    if (value !== undefined) input[flag.field] = await parseFlagValue(world, flag, value)
  }
  return input
}

async function parseFlagValue(world: System, flag: FieldFlag, value: unknown): Promise<unknown> {
  if (typeof value === 'boolean') return value
  const text = String(value)
  const { kind } = unwrap(flag.schema)
  if (text === 'null') {
    if (isNullable(flag.schema)) return null
    if (flag.isUpdate)
      throw usageError(`${flag.long} cannot be cleared. The field always has a value.`, nullHint(flag, kind))
  }
  if (kind !== 'array' && kind !== 'object' && kind !== 'record') return coerce(flag.schema, text)
  if (isScalarList(flag.schema) && isCommaList(text))
    return coerceDeep(
      flag.schema,
      text
        .split(',')
        .map((it) => it.trim())
        .filter((it) => it !== ''),
    )
  if (text.startsWith('@')) return readDocument(world, text.slice(1), flag.schema, flag.long)
  return parseDocument(text, flag.long, flag.schema, false)
}

const nullHint = ({ field, long }: FieldFlag, kind: string): string =>
  kind === 'string'
    ? `To send the text "null": --set ${field}=null.`
    : kind === 'array'
      ? `For an empty list: ${long} '[]'.`
      : 'Omit the flag to leave the field unchanged.'

function splitPair(text: string, flag: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`Invalid ${flag} "${text}". Use path=value.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** @throws ClientFailure `usage` for a whole number whose last digits would change when it is read */
function rejectInexactInteger(text: string, where: string): void {
  const digits = findInexactInteger(text)
  if (digits !== undefined)
    throw usageError(
      `${where} contains the number ${digits}, which is too large to be read exactly (more than 2^53).`,
      'If it is text, quote it.',
    )
}

function parseJson(text: string, where: string): unknown {
  rejectInexactInteger(text, where)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(
      `${where} is not valid JSON: ${(error as Error).message}`,
      'Quote text as JSON: --set-json name=\'"Front desk"\'. Or use --set.',
    )
  }
}

/** A document in a JSON or YAML file; `-` is standard input. `flag` is what named it, the path itself where nothing did. `isTop`: it holds fields, and is no list. */
export async function readDocument(
  world: System,
  path: string,
  schema: z.ZodType | undefined,
  flag = '--file',
  isTop = flag === '--file' || flag === path,
): Promise<unknown> {
  if (path === '-') return parseDocument(await world.streams.stdin.text(), `${flag} -`, schema, isTop)
  let text: string
  try {
    text = readFileSync(resolve(world.cwd, path), 'utf8')
  } catch (error) {
    throw usageError(`${flag === path ? '' : `${flag}: `}Could not read ${path}: ${(error as Error).message}.`)
  }
  if (text.length > maxInputLength) throw new InputTooLong(path)
  return parseDocument(text, flag === path ? path : `${flag} ${path}`, schema, isTop)
}

/** JSON, or YAML in which every scalar is text first: `+14155550123` and `0044` stay what was written. */
async function parseDocument(
  text: string,
  where: string,
  schema: z.ZodType | undefined,
  isTop: boolean,
): Promise<unknown> {
  const trimmed = text.trim()
  let value: unknown
  let asText: QuotedScalars | undefined
  if (/^[[{]/.test(trimmed)) {
    try {
      value = JSON.parse(trimmed)
    } catch {
      value = undefined
    }
    if (value !== undefined) rejectInexactInteger(trimmed, where)
  }
  if (value === undefined) {
    ;({ value, asText } = await parseYaml(text, where))
  }
  if (typeof value !== 'object' || value === null || (isTop && Array.isArray(value)))
    throw usageError(
      `${where} must contain ${isTop ? 'an object with fields' : 'a list or an object'}.`,
      isTop
        ? "Pass JSON or YAML: '{name: value}'."
        : "Pass JSON or YAML, '[…]' for a list or '{name: value}' for an object, or @path.",
    )
  return schema && asText ? coerceDeep(schema, value, asText) : value
}

async function parseYaml(text: string, where: string): Promise<ParsedYaml> {
  try {
    return await readYaml(text)
  } catch (problem) {
    throw usageError(`${where} is not valid JSON or YAML: ${yamlErrorMessage(problem)}`)
  }
}
