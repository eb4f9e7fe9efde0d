import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { isNullable } from '../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { readOnlyFields } from '../../contract/mechanics/read-only-fields.ts'
import type { Context } from '../context.ts'
import type { PreviousState } from '../history/recorder.ts'
import { type ResourceRecord, recordOf } from './previous-record.ts'

/** An update that is to be sent. */
interface PlannedUpdate {
  readonly endpoint: Endpoint
  /** Path parameters. */
  readonly ids: Readonly<Record<string, number | string>>
  readonly change: ResourceRecord
  /** The record before the update, as far as it was read. */
  readonly previous?: PreviousState
}

/**
 * Removes fields that a strict platform would reject: read-only fields, such as in a file printed by `get`, and
 * unchanged fields that are unknown to the contract or null but not clearable. With --verbose, lists the removed
 * fields.
 */
export async function writableFields(context: Context, it: PlannedUpdate): Promise<ResourceRecord> {
  const { endpoint, change } = it
  const readOnlyNames = readOnlyFields(endpoint)
  const isReadOnly = (name: string): boolean =>
    readOnlyNames.has(name) || (name === 'id' && !Object.hasOwn(endpoint.body?.shape ?? {}, name))
  const readOnly = Object.keys(change).filter(isReadOnly)
  const left = Object.fromEntries(Object.entries(change).filter(([name]) => !isReadOnly(name)))
  const uncertain = Object.keys(left).filter((name) => isUncertain(endpoint, name, left[name]))
  const live = uncertain.length > 0 ? await readLive(context, it) : undefined
  const unchanged = live
    ? uncertain.filter((name) => Object.hasOwn(live, name) && isDeepStrictEqual(live[name], left[name]))
    : []
  if (context.globals.verbose && readOnly.length > 0)
    await context.notes.note(`Not sent, read-only: ${readOnly.join(', ')}.`)
  if (context.globals.verbose && unchanged.length > 0)
    await context.notes.note(`Not sent, unchanged: ${unchanged.join(', ')}.`)
  return Object.fromEntries(Object.entries(left).filter(([name]) => !unchanged.includes(name)))
}

/** Returns whether a platform may reject a field because it is unknown or not nullable. */
function isUncertain(endpoint: Endpoint, name: string, value: unknown): boolean {
  const shape = (endpoint.body?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  if (!Object.hasOwn(shape, name)) return true
  return value === null && !isNullable(shape[name] as z.ZodType)
}

/** Returns the live record before an update, read once per run; undefined if it cannot be read in time. */
async function readLive(
  context: Context,
  { endpoint, ids, previous }: PlannedUpdate,
): Promise<ResourceRecord | undefined> {
  if (previous !== undefined) return recordOf(previous)
  const [{ findWrite, loadRecorded }, { tryReadResource }] = await Promise.all([
    import('../resources/descriptors.ts'),
    import('../history/read-resource.ts'),
  ])
  const change = findWrite(endpoint.name, context.commandName)
  if (!change) return undefined
  const kind = await loadRecorded(change[0].noun)
  const live = await tryReadResource(context, kind, ids)
  return typeof live === 'string' ? undefined : live
}
