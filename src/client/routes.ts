/** Where a deployment puts an endpoint elsewhere or names its query differently. */
export interface Route {
  /** Path below the base URL, parameters in braces as in the contract. */
  readonly path?: string
  /** Query names of the contract, and what the deployment calls them. */
  readonly query?: Readonly<Record<string, string>>
}

/** By endpoint name: `{ 'numbers.search': { query: { contains: 'pattern' } } }`. */
export type Routes = Readonly<Record<string, Route>>

/** Path and query names of an endpoint at one deployment. */
export function routeOf(endpoint: { readonly name: string; readonly path: string }, routes: Routes = {}): Route & { readonly path: string } {
  const other = Object.hasOwn(routes, endpoint.name) ? routes[endpoint.name] : undefined
  return { path: endpoint.path, ...other }
}
