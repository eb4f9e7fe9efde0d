import type { CallMore } from '../../client/create-client.ts'
import { paginate } from '../../client/paginate.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { Context } from '../context.ts'
import { resolveItem, type Target } from '../input/resolve-target.ts'

/** A resource as returned by the platform. */
export type ResourceRecord = Readonly<Record<string, unknown>>

/** Timeout in milliseconds for reading a resource before a write. */
export const readTimeoutMs = 3000

/** Returns whether to show what an update changes: on a terminal only, so that scripts avoid the extra request. */
export const showsChanges = ({ out, globals, world: { streams } }: Context): boolean =>
  out.settings.form === 'table' && streams.stderr.isTTY && !globals.quiet && !globals.printCurl

/** Resolves an argument to an id, with the record if a list was read for it. */
export async function resolveRecord(
  context: Context,
  given: string | undefined,
  target: Target,
): Promise<{ readonly id: number; readonly record: ResourceRecord | undefined }> {
  const item = await resolveItem(context, given, target)
  return { id: item.id as number, record: Object.keys(item).length > 1 ? item : undefined }
}

/**
 * Returns the resource before an update: the `known` record, or the result of `read`. Undefined if changes are not
 * shown, or if reading fails or takes too long; the update then continues without it.
 */
export async function readPrevious<T extends object>(
  context: Context,
  known: T | undefined,
  read: (from: Context) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (!showsChanges(context)) return undefined
  if (known) return known
  const { signal } = context.world
  const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)])
  const call = (endpoint: Endpoint, input: unknown, more?: CallMore): Promise<unknown> =>
    context.call(endpoint, input as never, { ...more, signal: timeoutSignal })
  const raw = (endpoint: Endpoint, input: unknown, more?: CallMore) =>
    context.call.raw(endpoint, input as never, { ...more, signal: timeoutSignal })
  const timedContext: Context = Object.create(context, { call: { value: Object.assign(call, { raw }) } })
  try {
    return await read(timedContext)
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

/** Returns a function that finds a resource in its list, for kinds without an endpoint for a single record. */
export const findInList =
  ({ list, within }: Target, id: number) =>
  async (from: Context): Promise<ResourceRecord | undefined> => {
    for await (const it of paginate<Endpoint, ResourceRecord>(from.call, list, { ...within } as never, { all: true }))
      if (it.id === id) return it
    return undefined
  }
