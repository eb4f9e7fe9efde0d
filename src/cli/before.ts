import type { CallMore } from '../client/call.ts'
import { pages } from '../client/pages.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { Context } from './context.ts'
import { resolveItem, type Target } from './target.ts'

/** A thing as the platform shows it. */
export type Known = Readonly<Record<string, unknown>>

/** Milliseconds a write waits at most for what a thing was before. */
export const patience = 3000

/** Whether somebody reads what an update changes: a person at a terminal. Scripts do not pay a request for it. */
export const isTold = ({ out, globals, world: { streams } }: Context): boolean =>
  out.settings.form === 'table' && streams.stderr.isTTY && !globals.quiet && !globals.printCurl

/** The id of what an argument means, and the thing itself where a list that was read for that shows it. */
export async function resolveThing(
  context: Context,
  given: string | undefined,
  target: Target,
): Promise<{ readonly id: number; readonly seen: Known | undefined }> {
  const item = await resolveItem(context, given, target)
  return { id: item.id as number, seen: Object.keys(item).length > 1 ? item : undefined }
}

/**
 * What a thing is before it is changed: what is `known` of it already, else what `read` finds. Undefined where nobody is told what changes, and where it
 * cannot be read soon: the update goes on without.
 */
export async function readBefore<T extends object>(
  context: Context,
  known: T | undefined,
  read: (from: Context) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (!isTold(context)) return undefined
  if (known) return known
  const { signal } = context.world
  const soon = AbortSignal.any([signal, AbortSignal.timeout(patience)])
  const call = (endpoint: Endpoint, input: unknown, more?: CallMore): Promise<unknown> => context.call(endpoint, input as never, { ...more, signal: soon })
  const raw = (endpoint: Endpoint, input: unknown, more?: CallMore) => context.call.raw(endpoint, input as never, { ...more, signal: soon })
  const quick: Context = Object.create(context, { call: { value: Object.assign(call, { raw }) } })
  try {
    return await read(quick)
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

/** One thing of a list, for what is shown nowhere else. */
export const fromList =
  ({ list, within }: Target, id: number) =>
  async (from: Context): Promise<Known | undefined> => {
    for await (const it of pages<Endpoint, Known>(from.call, list, { ...within } as never, { all: true })) if (it.id === id) return it
    return undefined
  }
