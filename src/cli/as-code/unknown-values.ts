import type * as z from 'zod'
import { choices, describeSchema, memberOf, unwrap } from '../../contract/coerce.ts'
import { isObject } from '../hidden.ts'
import { usage } from '../usage.ts'
import type { Entry } from './folder.ts'

/** Refuses values that a field cannot have, at any depth of the fields that would be sent. @throws ClientFailure `usage` naming file, field and values */
export function refuseUnknownValues({ kind, here, there, fields }: Entry, path: string): void {
  const content = here?.content ?? {}
  for (const name of there ? fields : Object.keys(content)) {
    if (!Object.hasOwn(kind.document.shape, name)) continue
    const found = unknownIn(kind.document.shape[name] as z.ZodType, content[name], name)
    if (found) throw usage(`${path}: ${found.at}: Invalid value ${JSON.stringify(found.value)}. Use one of ${found.values.join(', ')}.`, 'Nothing was changed.')
  }
}

interface Unknown {
  readonly at: string
  readonly value: unknown
  readonly values: readonly string[]
}

/** The first value that its schema does not list, where the schema lists values. Anything else that is wrong is for the platform to refuse. */
function unknownIn(schema: z.ZodType, value: unknown, at: string): Unknown | undefined {
  if (value === null || value === undefined) return undefined
  const values = choices(schema)?.map(String)
  if (values) return values.includes(String(value)) ? undefined : { at, value, values }
  const { base, kind } = unwrap(schema)
  if (kind === 'union') return inUnion(base, value, at)
  const { element, shape, valueType } = describeSchema(base)
  if (Array.isArray(value)) return element && first(value.entries(), ([n, it]) => unknownIn(element, it, `${at}.${n}`))
  if (!isObject(value)) return undefined
  return first(Object.entries(value), ([name, it]) => {
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : valueType
    return field && unknownIn(field, it, `${at}.${name}`)
  })
}

function inUnion(union: z.ZodType, value: unknown, at: string): Unknown | undefined {
  const member = memberOf(union, value)
  if (member) return unknownIn(member, value, at)
  const { options = [], discriminator } = describeSchema(union)
  if (discriminator === undefined || !isObject(value) || value[discriminator] === undefined) return undefined
  return { at: `${at}.${discriminator}`, value: value[discriminator], values: options.flatMap((it) => known(it, discriminator)) }
}

/** The values of a discriminator that lead to an option of a union. */
function known(option: z.ZodType, discriminator: string): string[] {
  const { base } = unwrap(option)
  const { options, shape } = describeSchema(base)
  if (options) return options.flatMap((it) => known(it, discriminator))
  const field = shape?.[discriminator]
  return ((field && choices(field)) ?? []).map(String)
}

function first<T>(items: Iterable<T>, find: (it: T) => Unknown | undefined): Unknown | undefined {
  for (const it of items) {
    const found = find(it)
    if (found) return found
  }
  return undefined
}
