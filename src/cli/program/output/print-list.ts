import { paginate as readPages } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { previewRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { parseCount } from '../input/count-flag.ts'
import { cacheList } from '../lists/update-completion-cache.ts'
import type { ListCut, View } from './format.ts'
import { itemShape } from './tables/item-shape.ts'

interface ListOptions {
  /**
   * Maximum number of items in one response of a list without pages, and what narrows the list. A note says so when
   * there may be more items than were read.
   */
  readonly newest?: { readonly max: number; readonly plural: string; readonly narrowing: string }
  /** Hint on stderr if the list is not empty. */
  readonly nextHint?: string
  /** View that replaces the one of the command. */
  readonly view?: View<never> | undefined
}

/** Prints a list: one page, all pages, or up to a limit. Notes on stderr if there is more. */
export async function printList(
  context: Context,
  endpoint: Endpoint,
  input: Record<string, unknown>,
  { nextHint, newest, view: givenView }: ListOptions = {},
): Promise<void> {
  const { globals, out, notes } = context
  if (!endpoint.paged && (globals.page ?? globals.perPage) !== undefined)
    throw usageError(
      `"parley ${context.commandName}" has no pages. It returns all items at once.`,
      'Remove --page and --per-page.',
    )
  const size = {
    ...(endpoint.paged && {
      page: parseCount(globals.page, '--page'),
      per_page: parseCount(globals.perPage, '--per-page'),
    }),
  }
  const query = { ...input, ...Object.fromEntries(Object.entries(size).filter(([, value]) => value !== undefined)) }
  if (await previewRequest(context, endpoint, query)) return
  // A list without pages is cut when it is printed, because its length is known then.
  const cut = endpoint.paged && !globals.all ? out.settings.cut : undefined
  const limit = parseCount(globals.limit, '--limit') ?? cut?.maxItems
  if (globals.envelope) {
    await out.record((await context.call(endpoint, query)) as object)
    return
  }
  const found = readPages(context.call, endpoint, query, {
    ...(globals.all && { all: true }),
    ...(limit !== undefined && { limit }),
    signal: context.system.signal,
  })
  const collected: object[] = []
  let read = 0
  const onRead = (count: number): void => {
    read += count
  }
  const { view, ...shape } = itemShape({ ...context.command, ...(givenView && { view: givenView }) })
  const listView = view && {
    ...view,
    get empty() {
      return emptyPageMessage(size.page, found.lastPage) ?? view.empty
    },
  }
  const shown = await out.pages(collectFirst(found.pages() as AsyncIterable<readonly object[]>, collected, onRead), {
    ...shape,
    ...(listView && { view: listView }),
  })
  const isUnfiltered = Object.keys(input).every((it) => Object.hasOwn(endpoint.params?.shape ?? {}, it))
  await cacheList(context, endpoint, collected, !found.hasMore && isUnfiltered && size.page === undefined, input)
  if (newest && read >= newest.max && limit === undefined)
    await notes.warn(
      `Only the newest ${newest.max} ${newest.plural} were read. To reach older ones, narrow the list with ${newest.narrowing}.`,
    )
  if (out.selectsRecords) return
  if (cut && found.hasMore)
    notes.truncated({ shown, total: found.total ?? null, next: `${cut.commandLine} ${restFlags(found.lastPage, cut)}` })
  if (found.isIncomplete && limit === undefined)
    await notes.warn(
      `The platform reports ${found.total} items but returned ${shown}, and offers no way to read the rest.`,
    )
  else if (found.hasMore && limit === undefined)
    await notes.note(
      `Showing ${shown}${found.total === undefined ? '' : ` of ${found.total}`}. More: add --all, or --page ${(size.page ?? 1) + 1}.`,
    )
  if (nextHint !== undefined && shown > 0) await notes.note(nextHint)
}

/** Returns the flags that print the rest of a list that was cut, or all if its pages have another size. */
const restFlags = (lastPage: unknown, { maxItems }: ListCut): string =>
  (lastPage as { per_page?: unknown } | undefined)?.per_page === maxItems ? `--page 2 --per-page ${maxItems}` : '--all'

/** Explains an empty page after the first one: the list has fewer pages. */
export function emptyPageMessage(page = 1, envelope?: unknown): string | undefined {
  const { total, last_page, per_page } = (envelope ?? {}) as Readonly<Record<string, unknown>>
  if (page === 1 || total === 0) return undefined
  const pages =
    typeof last_page === 'number'
      ? last_page
      : typeof total === 'number' && typeof per_page === 'number'
        ? Math.ceil(total / per_page)
        : undefined
  if (pages === undefined) return `Page ${page} is empty. There are fewer pages.`
  return `Page ${page} is empty. There ${pages === 1 ? 'is 1 page' : `are ${pages} pages`}.`
}

/** Cuts a list that was not read from a platform to `--limit`. */
export const applyLimit = <T>({ globals }: Context, items: readonly T[]): readonly T[] =>
  items.slice(0, parseCount(globals.limit, '--limit'))

/** Yields the same pages, counts their items and collects the first 200, as many as the completion cache has (`maxCachedItems`). */
async function* collectFirst<T>(
  pages: AsyncIterable<readonly T[]>,
  collected: T[],
  onRead: (count: number) => void,
): AsyncIterable<readonly T[]> {
  for await (const items of pages) {
    onRead(items.length)
    if (collected.length < 200) collected.push(...items.slice(0, 200 - collected.length))
    yield items
  }
}
