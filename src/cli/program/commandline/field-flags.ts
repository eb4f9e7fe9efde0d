import type * as z from 'zod'
import {
  allowedValues,
  capabilityOf,
  defaultOf,
  descriptionOf,
  isNullable,
  numberRange,
  schemaDefinition,
  unwrap,
} from '../../../contract/endpoint/coerce.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Command } from './command.ts'
import { globalFlagNames, shadowedGlobalFlags } from './global-flags.ts'

/** Flag for a field of an endpoint. */
export interface FieldFlag {
  readonly field: string
  readonly schema: z.ZodType
  /** `--body-format <json|form>`. */
  readonly flags: string
  readonly long: string
  /** Name of its value among the parsed flags. */
  readonly key: string
  /** Another accepted spelling that help does not show: `--label-color`. */
  readonly alias?: string
  readonly describe: string
  readonly choices?: readonly string[]
  readonly default?: string
  readonly isBoolean: boolean
  /** Whether it takes ids of resources, and names in their place. */
  readonly takesNames: boolean
  /** Whether the endpoint updates a resource, so that the field may already have a value. */
  readonly isUpdate: boolean
}

const kebab = (name: string): string => name.replaceAll('_', '-')
/** Converts kebab-case to camelCase. */
export const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const singular = (noun: string): string =>
  noun.replace(/s$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * Returns whether a name cannot be a field's flag: names of the body flags, and names that are rejected for one
 * release.
 */
const isReservedName = (name: string): boolean =>
  shadowedGlobalFlags[`--${name}`]?.refused !== undefined ||
  name === 'confirm' ||
  name === 'if-unchanged' ||
  name === 'force' ||
  bodyFlags.some((it) => it.flags.includes(`--${name} `))

/** Flags of fields with a misspelled name on the wire. The misspelled flag is accepted too, but not shown. */
const correctedFlagNames: Readonly<Record<string, string>> = { allow_dupplicate: 'allow-duplicate' }

/** Returns whether a field of this name shadows a global flag. */
const isGlobalName = (name: string): boolean => globalFlagNames.has(name.replace(/^no-/, ''))

/** Query parameters that global flags set; they get no flag from the endpoint. */
const pageFields = new Set(['page', 'per_page'])

/** Returns the flags for the fields of an endpoint. A reserved name gets the noun as a prefix: `--tool-timeout`. */
export function fieldFlags({
  endpoint,
  filledFields = [],
  flags = [],
}: Pick<Command, 'endpoint' | 'filledFields' | 'flags'>): FieldFlag[] {
  if (!endpoint) return []
  const fields = { ...endpoint.query?.shape, ...endpoint.body?.shape } as Record<string, z.ZodType>
  const noun = singular(endpoint.name.slice(0, endpoint.name.indexOf('.')))
  const taken = new Set([
    ...flags.map((it) => it.flags.match(/--[\w-]+/)?.[0] ?? ''),
    ...Object.keys(fields).map((it) => `--${kebab(it)}`),
  ])
  return Object.entries(fields)
    .filter(([field]) => !filledFields.includes(field) && !(endpoint.paged && pageFields.has(field)))
    .map(([field, schema]) => withNameAlias(toFieldFlag(field, schema, noun, endpoint.method === 'PUT'), taken))
}

/** Adds the spelling of a flag that takes names without "id": `--folder` for `--folder-id`, `--labels` for `--label-ids`. */
function withNameAlias(flag: FieldFlag, taken: ReadonlySet<string>): FieldFlag {
  if (!flag.takesNames || flag.alias !== undefined) return flag
  const alias = flag.long.replace(/-id(s?)$/, '$1')
  const isFree =
    alias !== flag.long && !taken.has(alias) && !isGlobalName(alias.slice(2)) && !isReservedName(alias.slice(2))
  return isFree ? { ...flag, alias } : flag
}

/** Builds the flag of a field. `changes` is true for updates, where a list replaces the value and null clears it. */
function toFieldFlag(field: string, schema: z.ZodType, noun: string, changes: boolean): FieldFlag {
  const kebabName = kebab(field)
  const qualifiedName = `${noun}-${kebabName}`
  const corrected = correctedFlagNames[field]
  const name = corrected ?? (isReservedName(kebabName) ? qualifiedName : kebabName)
  const { kind } = unwrap(schema)
  const values = allowedValues(schema)?.map(String)
  const fallback = defaultOf(schema)
  const isList = isScalarList(schema)
  const takesNames = holdsIds(field, schema)
  const placeholder =
    takesNames && !isList
      ? 'id'
      : isList
        ? 'list'
        : ({ integer: 'n', number: 'n', array: 'json', object: 'json', record: 'json' }[kind as string] ?? 'text')
  const formats = isList
    ? ' (a,b or JSON, YAML, @file)'
    : kind === 'array' || kind === 'object' || kind === 'record'
      ? ' (JSON, YAML or @file)'
      : ''
  const replaces = changes && kind === 'array' ? '; replaces the whole list' : ''
  const clears = changes && isNullable(schema) ? '; "null" clears' : ''
  const description = descriptionOf(schema) ?? field
  const purpose = takesNames ? describeIdentifiers(description) : description
  const where = capabilityOf(schema) === undefined ? '' : '; only on a Parley server'
  const describe = `${purpose}${rangeText(schema, purpose)}${formats}${replaces}${clears}${where}`
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
    takesNames,
    ...(values && kind !== 'boolean' && { choices: values }),
    ...(fallback !== undefined &&
      fallback !== null && { default: typeof fallback === 'object' ? stringifyJson(fallback) : String(fallback) }),
  }
}

/** Returns whether a field holds ids of resources. Fields that hold text are not: the server resolves their names. */
function holdsIds(field: string, schema: z.ZodType): boolean {
  if (!/(^|_)(ids?|account)$/.test(field)) return false
  const { base, kind } = unwrap(schema)
  const { element } = schemaDefinition(base)
  return (element ? unwrap(element).kind : kind) === 'integer'
}

/** Returns the description of a flag: `Id of the voice` becomes `Id or name of the voice`. */
function describeIdentifiers(description: string): string {
  const others = /number/.test(description)
    ? ', number or nickname'
    : /sender/.test(description)
      ? ', number or name'
      : ' or name'
  return description
    .replace(/^Id of/, `Id${others} of`)
    .replace(/^Ids of/, `Ids${others.replace(/\w+(?<!or)\b/g, '$&s')} of`)
}

/** Higher bounds only prevent overflow, so help does not show them. */
const unboundedFrom = 1_000_000

/** Returns the range of a number, such as `, 1-30`, unless its description already contains a number. */
function rangeText(schema: z.ZodType, purpose: string): string {
  const { min, max } = numberRange(schema)
  if (max === undefined || max >= unboundedFrom || /\d/.test(purpose)) return ''
  return min === undefined ? `, at most ${max}` : `, ${min}-${max}`
}

/** Returns whether a list holds plain values, none of which can contain a comma or bracket that would need quoting. */
export function isScalarList(schema: z.ZodType): boolean {
  const { element } = schemaDefinition(unwrap(schema).base)
  return element !== undefined && /^(string|integer|number|enum)$/.test(unwrap(element).kind)
}

/** Flags that set parts of a request body. Every command with a body has them. */
export const bodyFlags = [
  { flags: '-f, --file <path>', describe: 'Read fields from a JSON or YAML file; - for standard input' },
  { flags: '--data <json>', describe: 'Fields as JSON or YAML' },
  { flags: '--set <path=value>', describe: 'Set a field to a string; repeatable' },
  { flags: '--set-json <path=value>', describe: 'Set a field to a JSON value; repeatable' },
  { flags: '--unset <path>', describe: 'Set a field to null; repeatable' },
] as const

/** Flag that prevents an update from overwriting a concurrent change. Every update has it. */
export const ifUnchangedFlag = {
  flags: '--if-unchanged <path|time>',
  describe:
    'Fail with exit code 5 if the resource changed after this version: a file from get -o json or yaml (- for standard input), or its updated_at',
} as const

/** Flag that sends values which look like masks of secrets. Every command that sends values has it. */
export const forceFlag = {
  flags: '--force',
  describe: 'Send values that look like masks of secrets, such as ********',
} as const

/** Flags that set fields of a body without a flag of their own. */
export interface BodySources {
  readonly file?: string
  readonly data?: string
  readonly set?: readonly string[]
  readonly setJson?: readonly string[]
  readonly unset?: readonly string[]
}
