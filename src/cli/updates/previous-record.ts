import type { CallMore } from '../../client/create-client.ts'
import { ClientFailure } from '../../client/failures/client-failure.ts'
import { paginate } from '../../client/paginate.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { withTimeLimit } from '../../node/time-limit.ts'
import type { Context } from '../context.ts'
import { withListHint } from '../input/request-by-id.ts'
import {
  findByDigitName,
  isListed,
  type ListedItem,
  listHint,
  resolveItem,
  type Target,
} from '../input/resolve-target.ts'

/** A resource as returned by the platform. */
export type ResourceRecord = Readonly<Record<string, unknown>>

/** Timeout in milliseconds for reading a resource before a write. */
export const readTimeoutMs = 3000

/** Returns whether to show what an update changes: on a terminal only, so that scripts avoid the extra request. */
export const showsChanges = ({ out, globals, system: { streams } }: Context): boolean =>
  out.settings.form === 'table' && streams.stderr.isTTY && !globals.quiet && !globals.printCurl

/** The record that a command has read; undefined if it was not read, or could not be. */
export const recordOf = <T extends object>(previous: T | 'unreadable' | undefined): T | undefined =>
  previous === 'unreadable' ? undefined : previous

/** The list entry of a resource as its state before a write, if the list was read and shows all fields. */
export const previousInList = (it: ListedItem, { isListPartial }: Target): ListedItem | undefined =>
  isListPartial || !isListed(it) ? undefined : it

/** A resource that is to be updated, with its state before the update. */
export interface UpdateTarget<T extends object> {
  readonly id: number
  readonly previous: T | 'unreadable' | undefined
}

export interface ResolveOptions<T> {
  /** Reads the resource. Undefined if there is none with this id. */
  readonly read: (from: Context, id: number) => Promise<T | undefined>
  /** Whether the command cannot continue without the record: then failures to read it are errors. */
  readonly isRequired?: boolean
}

/**
 * Returns the resource before an update: the `known` record, or the result of `read`. Undefined if changes are not
 * shown, or if reading fails or takes too long; the update then continues without it.
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
  if (listed) return { id, previous: listed as unknown as T }
  const isPreview = context.globals.dryRun || context.globals.printCurl
  if (!isRequired && isPreview && !showsChanges(context)) return { id, previous: undefined }
  return withListHint(target, async () => {
    const found = await readIfExists(context, id, read, isRequired)
    if (!(found instanceof ClientFailure) && found !== undefined) return { id, previous: found }
    const named = await findByDigitName(context, given, target)
    if (named && named.id !== id)
      return {
        id: named.id as number,
        previous: (previousInList(named, target) as T | undefined) ?? (await read(context, named.id as number)),
      }
    if (found) throw found
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

/** The record; `unreadable` if it could not be read in time, and the failure if the platform has no such resource. */
async function readIfExists<T extends object>(
  context: Context,
  id: number,
  read: ResolveOptions<T>['read'],
  isRequired: boolean,
): Promise<T | 'unreadable' | ClientFailure | undefined> {
  const { signal } = context.system
  try {
    if (isRequired) return await read(context, id)
    return await withTimeLimit(readTimeoutMs, [signal], (limited) => read(withSignal(context, limited), id))
  } catch (error) {
    if (error instanceof ClientFailure && error.exit === 'not_found') return error
    if (signal.aborted || isRequired) throw error
    return 'unreadable'
  }
}

/** The same context whose calls end with a signal. */
function withSignal(context: Context, signal: AbortSignal): Context {
  const call = (endpoint: Endpoint, input: unknown, more?: CallMore): Promise<unknown> =>
    context.call(endpoint, input as never, { ...more, signal })
  const raw = (endpoint: Endpoint, input: unknown, more?: CallMore) =>
    context.call.raw(endpoint, input as never, { ...more, signal })
  return Object.create(context, { call: { value: Object.assign(call, { raw }) } })
}

/** Finds a resource in its list, for kinds without an endpoint for a single record. */
export const findInList =
  ({ list, within }: Target) =>
  async (from: Context, id: number): Promise<ResourceRecord | undefined> => {
    for await (const it of paginate<Endpoint, ResourceRecord>(from.call, list, { ...within } as never, { all: true }))
      if (it.id === id) return it
    return undefined
  }
