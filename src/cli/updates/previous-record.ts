import type { CallMore } from '../../client/create-client.ts'
import { paginate } from '../../client/paginate.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { Context } from '../context.ts'
import { resolveItem, type Target } from '../input/resolve-target.ts'

/** A thing as the platform shows it. */
export type ResourceRecord = Readonly<Record<string, unknown>>

/** Milliseconds a write waits at most for what a thing was before. */
export const readTimeoutMs = 3000

/** Whether somebody reads what an update changes: a person at a terminal. Scripts do not pay a request for it. */
export const showsChanges = ({ out, globals, world: { streams } }: Context): boolean =>
  out.settings.form === 'table' && streams.stderr.isTTY && !globals.quiet && !globals.printCurl

/** The id of what an argument means, and the thing itself where a list that was read for that shows it. */
export async function resolveRecord(
  context: Context,
  given: string | undefined,
  target: Target,
): Promise<{ readonly id: number; readonly record: ResourceRecord | undefined }> {
  const item = await resolveItem(context, given, target)
  return { id: item.id as number, record: Object.keys(item).length > 1 ? item : undefined }
}

/**
 * What a thing is before it is changed: what is `known` of it already, else what `read` finds. Undefined where nobody is told what changes, and where it
 * cannot be read soon: the update goes on without.
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

/** One thing of a list, for what is shown nowhere else. */
export const findInList =
  ({ list, within }: Target, id: number) =>
  async (from: Context): Promise<ResourceRecord | undefined> => {
    for await (const it of paginate<Endpoint, ResourceRecord>(from.call, list, { ...within } as never, { all: true }))
      if (it.id === id) return it
    return undefined
  }
