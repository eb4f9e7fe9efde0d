import type * as z from 'zod'
import { choices, coerce, describeSchema, unwrap } from './coerce.ts'

/** Brings one value to what the contract says it is; null where there is nothing to bring. */
type Mend = ((value: unknown) => unknown) | null

const known = new WeakMap<z.ZodType, { mend: Mend }>()
const asIs = (value: unknown): unknown => value

/**
 * An answer as the contract writes it, whichever way a deployment does: decimals and whole numbers as text, booleans as 0 and 1, lists and
 * objects as JSON text, numbers for text, members of a list as `{type, data}`. What cannot be brought there stays, and so does what nobody knows.
 */
export const mended = (schema: z.ZodType, answer: unknown): unknown => (mendOf(schema) ?? asIs)(answer)

function mendOf(schema: z.ZodType): Mend {
  const { base, kind } = unwrap(schema)
  const cached = known.get(base)
  if (cached) return cached.mend
  // A schema that holds itself: while it is being made, whoever meets it looks again when a value comes.
  const entry: { mend: Mend } = { mend: (value) => (entry.mend ?? asIs)(value) }
  known.set(base, entry)
  entry.mend = make(base, kind)
  return entry.mend
}

function make(base: z.ZodType, kind: ReturnType<typeof unwrap>['kind']): Mend {
  const def = describeSchema(base)
  switch (kind) {
    case 'string':
      return (value) => (typeof value === 'number' ? String(value) : value)
    case 'integer':
      return (value) => (typeof value === 'string' ? whole(value) : value)
    case 'number':
      return (value) => (typeof value === 'string' ? coerce(base, value.trim()) : value)
    case 'boolean':
      return (value) => (typeof value === 'number' || typeof value === 'string' ? coerce(base, String(value)) : value)
    case 'literal':
      return typeof choices(base)?.[0] === 'boolean' ? truth : null
    case 'array':
      return listOf(def.element ? mendOf(def.element) : null)
    case 'record':
      return (value) => (typeof value === 'string' ? coerce(base, value) : value)
    case 'object':
      return fieldsOf(base, def.shape ?? {})
    case 'union':
      return def.discriminator === undefined ? null : member(def.options ?? [], def.discriminator)
    default:
      return null
  }
}

const truth = (value: unknown): unknown => (value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : value)

/** `"3"` and `"3.00"`; anything else stays text. */
function whole(text: string): unknown {
  const match = /^\s*(-?\d{1,15})(\.0*)?\s*$/.exec(text)
  return match ? Number(match[1]) : text
}

function listOf(item: Mend): Mend {
  return (value) => {
    const list = typeof value === 'string' && value.startsWith('[') ? parsed(value) : value
    if (!item || !Array.isArray(list)) return list
    let copy: unknown[] | undefined
    for (const [n, it] of list.entries()) {
      const next = item(it)
      if (next === it) continue
      copy ??= [...list]
      copy[n] = next
    }
    return copy ?? list
  }
}

function fieldsOf(base: z.ZodType, shape: Readonly<Record<string, z.ZodType>>): Mend {
  const mends = Object.entries(shape).flatMap(([name, schema]): [string, NonNullable<Mend>][] => {
    const mend = mendOf(schema)
    return mend ? [[name, mend]] : []
  })
  return (given) => {
    const value = typeof given === 'string' && given.startsWith('{') ? coerce(base, given) : given
    if (!isObject(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const [name, mend] of mends) {
      const it = value[name]
      if (it === undefined || it === null) continue
      const next = mend(it)
      if (next === it) continue
      copy ??= { ...value }
      copy[name] = next
    }
    return copy ?? value
  }
}

/** Members told apart by a field are flat in the contract; deployments put the rest of them under `data`. */
function member(options: readonly z.ZodType[], discriminator: string): Mend {
  const members = new Map<unknown, Mend>()
  const names = new Set<string>()
  const add = (option: z.ZodType, mend: Mend): void => {
    const { base } = unwrap(option)
    const { shape = {}, options: inner } = describeSchema(base)
    // A union inside is told apart further by a field of its own.
    for (const it of inner ?? []) add(it, mend)
    for (const name of Object.keys(shape)) names.add(name)
    const field = shape[discriminator]
    for (const value of (field && choices(field)) ?? []) members.set(value, mend)
  }
  for (const option of options) add(option, mendOf(option))
  return (given) => {
    if (!isObject(given)) return given
    const { data, ...rest } = given
    const value: Record<string, unknown> = isObject(data) && !names.has('data') ? { ...rest, ...data } : given
    return (members.get(value[discriminator]) ?? asIs)(value)
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

const isObject = (it: unknown): it is Record<string, unknown> & { readonly data?: object } => typeof it === 'object' && it !== null && !Array.isArray(it)
