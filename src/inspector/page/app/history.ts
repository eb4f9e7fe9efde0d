import { signal } from '@preact/signals'
import { parseRoute, type Route, root, routePath } from './routes.ts'

const read = (): Route => parseRoute(location.pathname, location.search)

/** The address that is shown. */
export const route = signal<Route>(read())

/**
 * `route` as the text of an address: whatever changes one changes the other. The browser shows it, too, except while it
 * refuses to change its own.
 */
let shown = location.pathname + location.search

/** Milliseconds after which an address is tried again that the browser refused. */
const retryMs = 1000
let retry: ReturnType<typeof setTimeout> | undefined

/**
 * Gives the browser the address that is shown. Browsers refuse many changes in a few seconds, such as those of fast typing in a
 * filter: some throw an error, others do nothing.
 */
function giveAddress(change: 'pushState' | 'replaceState'): void {
  clearTimeout(retry)
  try {
    history[change](null, '', shown)
  } catch {
    // Tried again below.
  }
  if (location.pathname + location.search !== shown) retry = setTimeout(giveAddress, retryMs, change)
}

/** Opens an address of the inspector. `replace` adds no entry to the history of the browser. */
export function navigate(path: string, { replace = false } = {}): void {
  const { pathname, search } = new URL(path, location.href)
  if (pathname + search === shown) return
  const before = route.value
  shown = pathname + search
  giveAddress(replace ? 'replaceState' : 'pushState')
  // Not read from the browser, which may have refused the address: what was typed in a filter would be lost.
  route.value = parseRoute(pathname, search)
  // A reader of the screen starts at the new page, as after loading it.
  if (!replace && route.value.page !== before.page) {
    scrollTo(0, 0)
    // At once: in a later frame the operator may have moved the focus already.
    document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
  }
}

/** Returns a value of the address, such as a filter of a list; empty if it has none. */
export const queryValue = (name: string): string => route.value.query[name] ?? ''

/** Changes values of the address, so that a filter survives a reload and a copied link. */
export const setQuery = (values: Readonly<Record<string, string>>): void =>
  navigate(routePath(route.value.page, route.value.parts, { ...route.value.query, ...values }), { replace: true })

/** Follows links and the back button without loading the page again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    clearTimeout(retry)
    shown = location.pathname + location.search
    route.value = read()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = (event.target as Element).closest?.('a[href]')
    const href = link?.getAttribute('href')
    if (!href?.startsWith(root)) return
    event.preventDefault()
    navigate(href)
  })
}
