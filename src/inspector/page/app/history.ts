import { signal } from '@preact/signals'
import { parseRoute, type Route, root, routePath } from './routes.ts'

const read = (): Route => parseRoute(location.pathname, location.search)

/** The address that is shown. */
export const route = signal<Route>(read())

/** Opens an address of the inspector. `replace` adds no entry to the history of the browser. */
export function navigate(path: string, { replace = false } = {}): void {
  if (path === location.pathname + location.search) return
  const before = route.value
  history[replace ? 'replaceState' : 'pushState'](null, '', path)
  route.value = read()
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
