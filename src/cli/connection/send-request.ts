import { paginate as readPages } from '../../client/paginate.ts'
import type { Endpoint, Input, Output } from '../../contract/mechanics/endpoint.ts'
import { riskOf } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import type { WriteHistory } from '../history/recorder.ts'
import type { View } from '../output/form.ts'
import { itemShape } from '../output/item-shape.ts'
import { wireDialect } from './connect.ts'

/**
 * Prints the request instead of sending it: with --print-curl as a curl command, with --dry-run as method, path and
 * body. Returns false if neither was passed.
 */
export async function previewRequest(
  context: Context,
  endpoint: Endpoint,
  input: Record<string, unknown>,
): Promise<boolean> {
  const { printCurl, dryRun } = context.globals
  const isDry = dryRun && riskOf(context.command) !== 'read'
  if (!printCurl && !isDry) return false
  if (isDry && context.ifUnchanged !== undefined)
    await (await import('../history/if-unchanged.ts')).checkUnchangedBeforeWrite(context, endpoint, input)
  const { buildRequest } = await import('../../client/requests/build-request.ts')
  const { redactedText, redactNamedSecrets } = await import('../../client/requests/redact.ts')
  const masked = redactNamedSecrets(input)
  const settings = await context.settings()
  if (printCurl) {
    const { toCurl } = await import('../../client/requests/curl-command.ts')
    // The curl command uses the vocabulary of the platform it is sent to.
    await context.out.line(
      toCurl(settings.baseUrl.value, buildRequest(endpoint, masked, await wireDialect(settings)), endpoint.auth),
    )
  } else {
    const request = buildRequest(endpoint, masked)
    await context.out.record(
      { method: request.method, path: request.url, body: request.body === undefined ? null : JSON.parse(request.body) },
      { view: previewView },
    )
    await context.notes.note('Dry run. Nothing was sent.')
  }
  if (JSON.stringify(masked) !== JSON.stringify(input))
    await context.notes.note(`Secrets are shown as ${redactedText}.`)
  return true
}

const previewView: View<{ readonly method: string; readonly path: string }> = {
  id: (it) => it.path,
  columns: [],
  empty: '',
}

export interface SendOptions {
  /** Text of the progress spinner (default: none is shown). */
  readonly progressText?: string | undefined
  /** What the history recorder needs of a write. */
  readonly history?: WriteHistory
}

/** Calls the command's endpoint, or only shows the call; undefined when it was only shown. */
export async function sendRequest<E extends Endpoint>(
  context: Context,
  endpoint: E,
  input: Record<string, unknown>,
  { progressText, history }: SendOptions = {},
): Promise<Output<E> | undefined> {
  if (await previewRequest(context, endpoint, input)) return undefined
  const pending = context.call(endpoint, input as Input<E>, history && { history })
  return progressText === undefined ? pending : context.progress.showWhile(progressText, pending)
}

export interface ListOptions {
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
  { nextHint, view: givenView }: ListOptions = {},
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
  const limit = parseCount(globals.limit, '--limit')
  if (globals.envelope) {
    await out.record((await context.call(endpoint, query as never)) as object)
    return
  }
  const found = readPages(context.call, endpoint, query as never, {
    ...(globals.all && { all: true }),
    ...(limit !== undefined && { limit }),
    signal: context.world.signal,
  })
  const collected: object[] = []
  const { view, ...shape } = itemShape({ ...context.command, ...(givenView && { view: givenView }) })
  const listView = view && {
    ...view,
    get empty() {
      return emptyPageMessage(size.page, found.lastPage) ?? view.empty
    },
  }
  const shown = await out.pages(batchReady(collectFirst(found as AsyncIterable<object>, collected)), {
    ...shape,
    ...(listView && { view: listView }),
  } as never)
  const { cacheList } = await import('../completion/update-completion-cache.ts')
  const isUnfiltered = Object.keys(input).every((it) => Object.hasOwn(endpoint.params?.shape ?? {}, it))
  await cacheList(context, endpoint, collected, !found.hasMore && isUnfiltered && size.page === undefined, input)
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

/** Explains an empty page after the first one: the list has fewer pages. */
function emptyPageMessage(page = 1, envelope: unknown): string | undefined {
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

/** Yields the same items and collects the first 200. */
async function* collectFirst<T>(items: AsyncIterable<T>, collected: T[]): AsyncIterable<T> {
  for await (const item of items) {
    if (collected.length < 200) collected.push(item)
    yield item
  }
}

/** Yields items in batches of up to 100, so that each batch is one write. */
async function* batchReady<T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length === 100) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** Parses a whole number from 1 to 999 999 999. @throws ClientFailure `usage` */
export function parseCount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usageError(`Invalid ${flag} "${text}". Use a whole number from 1 to 999999999.`)
  return Number(text)
}
