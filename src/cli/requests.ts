import { pages as readPages } from '../client/pages.ts'
import type { Endpoint, Input, Output } from '../contract/endpoint.ts'
import { riskOf } from './command.ts'
import { dialectOf } from './connect.ts'
import type { Context } from './context.ts'
import type { View } from './output/form.ts'
import { shapeOf } from './shape.ts'
import { usage } from './usage.ts'

/** What to show instead of making a request: the curl command, or with --dry-run method, path and body. True when that was asked for. */
export async function showOnly(context: Context, endpoint: Endpoint, input: Record<string, unknown>): Promise<boolean> {
  const { printCurl, dryRun } = context.globals
  const isDry = dryRun && riskOf(context.command) !== 'read'
  if (!printCurl && !isDry) return false
  if (isDry && context.unchanged !== undefined) await (await import('./history/unchanged.ts')).checkBeforeWrite(context, endpoint, input)
  const { toRequest } = await import('../client/request.ts')
  const { hidden, hideNamed } = await import('../client/redact.ts')
  const shown = hideNamed(input)
  const settings = await context.settings()
  if (printCurl) {
    const { toCurl } = await import('../client/curl.ts')
    // What is pasted elsewhere has to be in the words of the platform it goes to.
    await context.out.line(toCurl(settings.baseUrl.value, toRequest(endpoint, shown, await dialectOf(settings)), endpoint.auth))
  } else {
    const request = toRequest(endpoint, shown)
    await context.out.record(
      { method: request.method, path: request.url, body: request.body === undefined ? null : JSON.parse(request.body) },
      { view: shownRequest },
    )
    await context.notes.note('Nothing was sent: this was a dry run.')
  }
  if (JSON.stringify(shown) !== JSON.stringify(input)) await context.notes.note(`Secrets are shown as ${hidden}.`)
  return true
}

const shownRequest: View<{ readonly method: string; readonly path: string }> = { id: (it) => it.path, columns: [], empty: '' }

/** Calls the command's endpoint, or only shows the call; undefined when it was only shown. */
export async function send<E extends Endpoint>(context: Context, endpoint: E, input: Record<string, unknown>, what?: string): Promise<Output<E> | undefined> {
  if (await showOnly(context, endpoint, input)) return undefined
  const work = context.call(endpoint, input as Input<E>)
  return what === undefined ? work : context.progress.during(what, work)
}

export interface ListPrinted {
  /** What to say on stderr where there is something. */
  readonly next?: string
  /** How it is shown, when the command knows more by now than its own view does. */
  readonly view?: View<never> | undefined
}

/** Prints the endpoint's list: one page, all of them, or up to a limit; and says on stderr when there is more. */
export async function printList(context: Context, endpoint: Endpoint, input: Record<string, unknown>, { next, view: own }: ListPrinted = {}): Promise<void> {
  const { globals, out, notes } = context
  if (!endpoint.paged && (globals.page ?? globals.perPage) !== undefined)
    throw usage(`"parley ${context.words}" has no pages: it answers everything at once.`, 'Leave out --page and --per-page.')
  const size = { ...(endpoint.paged && { page: count(globals.page, '--page'), per_page: count(globals.perPage, '--per-page') }) }
  const wanted = { ...input, ...Object.fromEntries(Object.entries(size).filter(([, value]) => value !== undefined)) }
  if (await showOnly(context, endpoint, wanted)) return
  const limit = count(globals.limit, '--limit')
  if (globals.envelope) {
    await out.record((await context.call(endpoint, wanted as never)) as object)
    return
  }
  const found = readPages(context.call, endpoint, wanted as never, {
    ...(globals.all && { all: true }),
    ...(limit !== undefined && { limit }),
    signal: context.world.signal,
  })
  const seen: object[] = []
  const { view, ...shape } = shapeOf({ ...context.command, ...(own && { view: own }) })
  const told = view && {
    ...view,
    get empty() {
      return beyondLast(size.page, found.envelope) ?? view.empty
    },
  }
  const shown = await out.pages(inBatches(watched(found as AsyncIterable<object>, seen)), { ...shape, ...(told && { view: told }) } as never)
  const { remember } = await import('./remember.ts')
  const asksAll = Object.keys(input).every((it) => Object.hasOwn(endpoint.params?.shape ?? {}, it))
  await remember(context, endpoint, seen, !found.more && asksAll && size.page === undefined, input)
  if (found.isShort && limit === undefined) await notes.warn(`The platform says there are ${found.total} and gave ${shown}, without a way to read the rest.`)
  else if (found.more && limit === undefined)
    await notes.note(`Showing ${shown}${found.total === undefined ? '' : ` of ${found.total}`}. More: add --all, or --page ${(size.page ?? 1) + 1}.`)
  if (next !== undefined && shown > 0) await notes.note(next)
}

/** What an empty page means that is not the first: there is something, further in front. */
function beyondLast(page = 1, envelope: unknown): string | undefined {
  const { total, last_page, per_page } = (envelope ?? {}) as Readonly<Record<string, unknown>>
  if (page === 1 || total === 0) return undefined
  const pages = typeof last_page === 'number' ? last_page : typeof total === 'number' && typeof per_page === 'number' ? Math.ceil(total / per_page) : undefined
  if (pages === undefined) return `Page ${page} is empty: there are fewer pages.`
  return `Page ${page} is empty: there ${pages === 1 ? 'is 1 page' : `are ${pages} pages`}.`
}

/** A list that is made here rather than read from a platform, cut to `--limit`. */
export const limited = <T>({ globals }: Context, items: readonly T[]): readonly T[] => items.slice(0, count(globals.limit, '--limit'))

/** The same items, the first of them kept aside. */
async function* watched<T>(items: AsyncIterable<T>, seen: T[]): AsyncIterable<T> {
  for await (const item of items) {
    if (seen.length < 200) seen.push(item)
    yield item
  }
}

/** Items gathered as long as they come without waiting, so that each page is one write. */
async function* inBatches<T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> {
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

/** A whole number from 1 to 999 999 999. */
export function count(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usage(`${flag} must be a whole number from 1 to 999999999, not "${text}".`)
  return Number(text)
}
