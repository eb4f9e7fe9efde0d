import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findItem } from '../../../client/find-item.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import { readBeforeWrite, readForUndo, Unread } from '../history/undo-unavailable.ts'
import { withListHint } from '../input/request-by-id.ts'
import { findByDigitName, isListed, listHint, resolveItem } from '../input/resolve-target.ts'
import type { ListedItem, Target } from '../resources/resource.ts'

// The record that a command changes, as it was before: for its history entry and for the changes that it shows. `get` of kinds without
// an endpoint for one record finds it here, too.

/** Returns whether to show what an update changes: on a terminal, and in a dry run. Other scripts avoid the extra request. */
export const showsChanges = ({ out, globals, system: { streams } }: Context): boolean =>
  out.settings.format === 'table' &&
  (streams.stderr.isTTY || globals.dryRun === true) &&
  !globals.quiet &&
  !globals.printCurl

/** The list entry of a resource as its state before a write, if the list was read and shows all fields. */
export const previousInList = (item: ListedItem, { isListPartial }: Target): ListedItem | undefined =>
  isListPartial || !isListed(item) ? undefined : item

/** A resource that is to be updated, with its state before the update. */
export interface UpdateTarget<T extends object> {
  readonly id: number
  /** Undefined if the command does not need it, and if the platform has no endpoint that reads it. */
  readonly previous: T | undefined
}

/** How the record that a command changes is read. */
export interface ResolveOptions<T> {
  /** Reads the resource. Undefined if there is none with this id. */
  readonly read: (from: Context, id: number) => Promise<T | undefined>
  /** Whether the command cannot continue without the record: then failures to read it are errors. */
  readonly isRequired?: boolean
}

/**
 * Returns the resource before an update: its list entry, or the result of `read`. Digits are an id first; only if the platform has no
 * such id are they the name of a resource, as in request-by-id.ts. A failed read is tolerated only where `mayWriteUnchecked` says
 * so. @throws ClientFailure `undo_unavailable` if it cannot be read
 */
export async function resolveForUpdate<T extends object = ResourceRecord>(
  context: Context,
  given: string | undefined,
  target: Target,
  { read, isRequired = false }: ResolveOptions<T>,
): Promise<UpdateTarget<T>> {
  const item = await resolveItem(context, given, target)
  const listed = previousInList(item, target)
  const id = item.id as number
  if (listed) return { id, previous: listed as T }
  const isPreview = context.globals.dryRun || context.globals.printCurl
  if (!isRequired && isPreview && !showsChanges(context)) return { id, previous: undefined }
  return withListHint(target, async () => {
    const found = await readForUndo(context, target.singular, () => read(context, id))
    if (found !== undefined && !(found instanceof Unread)) return { id, previous: found }
    if (found !== undefined && found.reason !== 'gone') {
      if (isRequired) throw found.error
      return { id, previous: undefined }
    }
    const named = await findByDigitName(context, given, target)
    if (named && named.id !== id) {
      const other = named.id as number
      const previous = previousInList(named, target) as T | undefined
      return {
        id: other,
        previous: previous ?? (await readBeforeWrite(target.singular, () => read(context, other))),
      }
    }
    if (found) throw found.error
    if (isRequired)
      throw new ClientFailure({
        exit: 'not_found',
        code: 'not_found',
        message: `No ${target.singular} with id ${id}.`,
        hint: listHint(target),
      })
    return { id, previous: undefined }
  })
}

/** Finds a resource in its list, for kinds without an endpoint for a single record. */
export const findInList =
  ({ list, within }: Target) =>
  (from: Context, id: number): Promise<ResourceRecord | undefined> =>
    findItem<ResourceRecord>(from.call, list, { ...within }, id, { signal: from.system.signal })
