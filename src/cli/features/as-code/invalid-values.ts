import type * as z from 'zod'
import { isLoopback } from '../../../client/transport/base-url.ts'
import { allowedValues, schemaDefinition, unionMember, unwrap } from '../../../contract/endpoint/coerce.ts'
import { isObject, mapTexts } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { SyncEntry } from './compare.ts'

/**
 * Rejects values that a field does not allow, at any depth of the fields that would be sent. @throws ClientFailure
 * `usage` with file, field and allowed values
 */
export function requireValidValues({ kind, local, remote, fields }: SyncEntry, path: string): void {
  const content = local?.content ?? {}
  for (const name of remote ? fields : Object.keys(content)) {
    if (!Object.hasOwn(kind.documentSchema.shape, name)) continue
    const found = findInvalidValue(kind.documentSchema.shape[name] as z.ZodType, content[name], name)
    if (found)
      throw usageError(
        `${path}: ${found.at}: Invalid value ${stringifyJson(found.value)}. Use one of ${found.values.join(', ')}.`,
        'Nothing was changed.',
      )
  }
}

interface InvalidValue {
  readonly at: string
  readonly value: unknown
  readonly values: readonly string[]
}

/**
 * Returns the first value that is not among the allowed values of its schema. Other errors are left to the platform.
 */
function findInvalidValue(schema: z.ZodType, value: unknown, at: string): InvalidValue | undefined {
  if (value === null || value === undefined) return undefined
  const values = allowedValues(schema)?.map(String)
  if (values) return values.includes(String(value)) ? undefined : { at, value, values }
  const { base, kind } = unwrap(schema)
  if (kind === 'union') return findInvalidInUnion(base, value, at)
  const { element, shape, valueType } = schemaDefinition(base)
  if (Array.isArray(value))
    return element && findFirst(value.entries(), ([n, item]) => findInvalidValue(element, item, `${at}.${n}`))
  if (!isObject(value)) return undefined
  return findFirst(Object.entries(value), ([name, entry]) => {
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : valueType
    return field && findInvalidValue(field, entry, `${at}.${name}`)
  })
}

function findInvalidInUnion(union: z.ZodType, value: unknown, at: string): InvalidValue | undefined {
  const member = unionMember(union, value)
  if (member) return findInvalidValue(member, value, at)
  const { options = [], discriminator } = schemaDefinition(union)
  if (discriminator === undefined || !isObject(value) || value[discriminator] === undefined) return undefined
  return {
    at: `${at}.${discriminator}`,
    value: value[discriminator],
    values: options.flatMap((it) => discriminatorValues(it, discriminator)),
  }
}

/** Returns the values of a discriminator that select an option of a union. */
function discriminatorValues(option: z.ZodType, discriminator: string): string[] {
  const { base } = unwrap(option)
  const { options, shape } = schemaDefinition(base)
  if (options) return options.flatMap((it) => discriminatorValues(it, discriminator))
  const field = shape?.[discriminator]
  return ((field && allowedValues(field)) ?? []).map(String)
}

function findFirst<T>(items: Iterable<T>, find: (item: T) => InvalidValue | undefined): InvalidValue | undefined {
  for (const item of items) {
    const found = find(item)
    if (found) return found
  }
  return undefined
}

/** Sentences about the values that a plan sends, by file. */
export type PlanRemarks = ReadonlyMap<string, readonly string[]>

/**
 * Returns what a plan sends and this version does not know, at any depth, and the addresses that another machine than
 * this one cannot reach. These are not remarked for a platform on this machine.
 */
export async function planRemarks(context: Context, written: readonly SyncEntry[]): Promise<PlanRemarks> {
  const { via, base } = await context.connection()
  const remarks = written.map(({ kind, file, local, remote, fields }): [string, string[]] => {
    const content = local?.content ?? {}
    const names = (remote ? fields : Object.keys(content)).filter((it) => content[it] !== undefined)
    const schemas = kind.documentSchema.shape as Readonly<Record<string, z.ZodType>>
    const unknown = names.flatMap((name) => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
      return schema ? unknownFields(schema, content[name], name) : [name]
    })
    const unreachable = via === 'remote' ? names.flatMap((name) => unreachableAddresses(content[name], name, base)) : []
    return [
      file,
      [
        ...(unknown.length > 0 ? [`This version does not know, and sends unchanged: ${unknown.join(', ')}.`] : []),
        ...unreachable,
      ],
    ]
  })
  return new Map(remarks.filter(([, lines]) => lines.length > 0))
}

/** Returns the paths of fields that a schema does not have. */
function unknownFields(schema: z.ZodType, value: unknown, at: string): string[] {
  const { base, kind } = unwrap(schema)
  if (kind === 'union') {
    const member = unionMember(base, value)
    return member ? unknownFields(member, value, at) : []
  }
  const { element, shape, valueType, catchall } = schemaDefinition(base)
  if (Array.isArray(value)) return element ? value.flatMap((it, n) => unknownFields(element, it, `${at}.${n}`)) : []
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, value]) => {
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : (valueType ?? catchall)
    if (field) return unknownFields(field, value, `${at}.${name}`)
    return shape ? [`${at}.${name}`] : []
  })
}

/** Returns a sentence for each URL or address in a value that points to this machine or its network. */
function unreachableAddresses(value: unknown, name: string, base: string): string[] {
  const found: string[] = []
  mapTexts(value, name, (text, path) => {
    const address = /^\s*https?:/i.test(text) ? text : /_address$/.test(path) ? `http://${text}` : ''
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (!url || (URL.canParse(base) && new URL(base).origin === url.origin)) return text
    const host = url.hostname.replace(/\.$/, '')
    const isThisMachine = isLoopback(host) || host === '0.0.0.0' || host === '[::]' || host.startsWith('[::ffff:7f')
    if (isThisMachine || host.endsWith('.local'))
      found.push(`${path} points to ${isThisMachine ? 'this machine' : 'the local network'}: ${url.host}.`)
    return text
  })
  return found
}
