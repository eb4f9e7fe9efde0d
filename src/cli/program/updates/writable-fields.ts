import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { isAnyMask } from '../../../client/requests/require-no-masks.ts'
import { isNullable, isRequired } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { readOnlyFields } from '../../../contract/endpoint/read-only-fields.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { findMasks } from '../../../contract/values/mask.ts'
import type { Context } from '../context.ts'
import { readPreviousState, readResource } from '../history/read-resource.ts'
import { readBeforeWrite, Unread } from '../history/undo-unavailable.ts'
import { findWrite, loadRecorded, type RecordedResource } from '../resources/registry.ts'
import { fillMasks, type LostMask, requireNoLostMasks } from '../secrets/masked-values.ts'
import { applicableFields } from './inapplicable-fields.ts'

/** An update that is to be sent. */
interface PlannedUpdate {
  readonly endpoint: Endpoint
  /** Path parameters. */
  readonly ids: Readonly<Record<string, number | string>>
  readonly change: ResourceRecord
  /** The record before the update, as far as it was read. */
  readonly previous?: ResourceRecord | undefined
}

/** The fields of an update that must be sent. */
interface WritableFields {
  /** Empty if nothing must be sent: send-update.ts then sends no request, and answers with `live`. */
  readonly change: ResourceRecord
  /** The live record, if it was read. */
  readonly live: ResourceRecord | undefined
}

/**
 * Returns the fields of an update that must be sent. Read-only fields, such as in a file printed by `get`, are removed.
 * So is what the live record already has: every field of a document, and every field with a mask or that a strict
 * platform would reject. Remaining masks are replaced by the live credentials. With --verbose, lists the removed fields.
 *
 * @throws ClientFailure for masks without a known credential
 */
export async function writableFields(context: Context, planned: PlannedUpdate): Promise<WritableFields> {
  const { endpoint } = planned
  const readOnlyNames = readOnlyFields(endpoint)
  const isReadOnly = (name: string): boolean =>
    readOnlyNames.has(name) || (name === 'id' && !Object.hasOwn(endpoint.body?.shape ?? {}, name))
  const [readOnly, given] = partition(planned.change, isReadOnly)
  if (context.globals.verbose && Object.keys(readOnly).length > 0)
    await context.notes.note(`Not sent, read-only: ${Object.keys(readOnly).join(', ')}.`)
  const found = findWrite(endpoint.name, context.commandName)
  const kind = found && (await loadRecorded(found[0].noun))
  const isMasked = (value: unknown, name: string): boolean => findMasks({ [name]: value }, isAnyMask).length > 0
  const isDropped = (name: string): boolean =>
    isUncertain(endpoint, name, given[name]) ||
    (!kind?.document && (!context.writeSettings.explicitFields?.has(name) || isMasked(given[name], name)))
  const known = planned.previous
  const isConditional = (name: string): boolean => Object.hasOwn(endpoint.conditionalFields?.fields ?? {}, name)
  if (!known && !Object.keys(given).some((name) => isDropped(name) || isConditional(name)))
    return { change: given, live: undefined }
  const live = known ?? (kind && (await readLive(context, kind, planned.ids, given)))
  if (!live) return { change: applicableFields(context, { endpoint, given, create: kind?.create }), live }
  const shown = kind?.toShown?.(live) ?? live
  const isUnchanged = (name: string): boolean =>
    Object.hasOwn(live, name) &&
    (isDeepStrictEqual(given[name], live[name]) || isDeepStrictEqual(given[name], shown[name]))
  const changesMode =
    kind?.modeField !== undefined && given[kind.modeField] !== undefined && !isUnchanged(kind.modeField)
  const [unchanged, changed] = partition(
    given,
    (name) =>
      isUnchanged(name) &&
      isDropped(name) &&
      !isRequiredField(endpoint, name) &&
      // A change of the mode resets the fields that depend on it.
      (!changesMode || isMasked(given[name], name)),
  )
  if (context.globals.verbose && Object.keys(unchanged).length > 0)
    await context.notes.note(`Not sent, unchanged: ${Object.keys(unchanged).join(', ')}.`)
  const lost: LostMask[] = []
  const applicable = applicableFields(context, { endpoint, given: changed, live, create: kind?.create })
  const change = fillMasks(
    withoutUnchangedEntries(kind, applicable, live),
    { plain: live, shown },
    {
      onLost: (one) => lost.push(one),
    },
  ) as ResourceRecord
  requireNoLostMasks(context, lost, {
    why: `The ${kind?.singular ?? 'resource'} has no credential at that path.`,
    hint: `Enter the credential.`,
  })
  return { change, live }
}

const partition = (
  fields: ResourceRecord,
  isFirst: (name: string) => boolean,
): readonly [ResourceRecord, ResourceRecord] => {
  const [first, second] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => isFirst(name) === wanted)),
  )
  return [first as ResourceRecord, second as ResourceRecord]
}

/** Removes unchanged masks from fields whose entries the platform merges into the previous ones. */
function withoutUnchangedEntries(
  kind: RecordedResource | undefined,
  change: ResourceRecord,
  live: ResourceRecord,
): ResourceRecord {
  const left: Record<string, unknown> = { ...change }
  for (const name of kind?.mergedFields ?? []) {
    const [entries, before] = [change[name], live[name]]
    if (!isObject(entries) || !isObject(before)) continue
    const [unchanged, changed] = partition(
      entries,
      (it) => isDeepStrictEqual(entries[it], before[it]) && findMasks({ [it]: entries[it] }, isAnyMask).length > 0,
    )
    if (Object.keys(unchanged).length === 0) continue
    left[name] = changed
    if (Object.keys(changed).length === 0) delete left[name]
  }
  return left
}

const schemaOf = (endpoint: Endpoint, name: string): z.ZodType | undefined => {
  const shape = (endpoint.body?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  return Object.hasOwn(shape, name) ? shape[name] : undefined
}

/** Returns whether a platform may reject a field because it is unknown or not nullable. */
function isUncertain(endpoint: Endpoint, name: string, value: unknown): boolean {
  const schema = schemaOf(endpoint, name)
  return schema === undefined || (value === null && !isNullable(schema))
}

function isRequiredField(endpoint: Endpoint, name: string): boolean {
  const schema = schemaOf(endpoint, name)
  return schema !== undefined && isRequired(schema)
}

/**
 * Returns the live record before an update; undefined if it is not read. Without it, masks cannot be replaced. @throws
 * ClientFailure of the read if there are masks, otherwise `undo_unavailable`
 */
async function readLive(
  context: Context,
  kind: RecordedResource,
  ids: PlannedUpdate['ids'],
  given: ResourceRecord,
): Promise<ResourceRecord | undefined> {
  if (findMasks(given, isAnyMask).length > 0)
    return readBeforeWrite(kind.singular, () => readResource(context, kind, ids), '')
  const live = await readPreviousState(context, kind, ids)
  return live instanceof Unread ? undefined : live
}
