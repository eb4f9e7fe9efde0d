import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { isNullable } from '../contract/coerce.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { readOnlyFields } from '../contract/read-only.ts'
import type { Known } from './before.ts'
import type { Context } from './context.ts'

/**
 * The fields of an update that a strict platform takes: without those that only the platform sets, which a file has that `get` printed; and without those
 * the contract does not know, and nulls where nothing can be cleared, as long as they are what is live. Says with --verbose what is not sent.
 */
export async function writableFields(context: Context, endpoint: Endpoint, ids: Readonly<Record<string, number | string>>, change: Known): Promise<Known> {
  const own = readOnlyFields(endpoint)
  const isOwn = (name: string): boolean => own.has(name) || (name === 'id' && !Object.hasOwn(endpoint.body?.shape ?? {}, name))
  const readOnly = Object.keys(change).filter(isOwn)
  const left = Object.fromEntries(Object.entries(change).filter(([name]) => !isOwn(name)))
  const doubtful = Object.keys(left).filter((name) => isDoubtful(endpoint, name, left[name]))
  const live = doubtful.length > 0 ? await liveOf(context, endpoint, ids) : undefined
  const same = live ? doubtful.filter((name) => Object.hasOwn(live, name) && isDeepStrictEqual(live[name], left[name])) : []
  if (context.globals.verbose && readOnly.length > 0) await context.notes.note(`Not sent, read-only: ${readOnly.join(', ')}.`)
  if (context.globals.verbose && same.length > 0) await context.notes.note(`Not sent, unchanged: ${same.join(', ')}.`)
  return Object.fromEntries(Object.entries(left).filter(([name]) => !same.includes(name)))
}

/** Whether a platform may refuse a field only for being there. */
function isDoubtful(endpoint: Endpoint, name: string, value: unknown): boolean {
  const shape = (endpoint.body?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  if (!Object.hasOwn(shape, name)) return true
  return value === null && !isNullable(shape[name] as z.ZodType)
}

/** What an update is about to change, read once for everybody; undefined where it cannot be read soon. */
async function liveOf(context: Context, endpoint: Endpoint, ids: Readonly<Record<string, number | string>>): Promise<Known | undefined> {
  const [{ changeBy, kindOf }, { readSoon, seenOf }] = await Promise.all([import('./history/kinds.ts'), import('./history/reading.ts')])
  const change = changeBy(endpoint.name, context.words)
  if (!change) return undefined
  const kind = await kindOf(change[0])
  const live = seenOf(context, kind, ids) ?? (await readSoon(context, kind, ids))
  return typeof live === 'string' ? undefined : live
}
