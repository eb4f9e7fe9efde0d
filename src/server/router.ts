import findMyWay from 'find-my-way'

/** One line of the generated route table: method, path with `{names}`, resource, verb. */
export type Route = readonly [method: string, path: string, resource: string, verb: string]

export interface Match {
  readonly resource: string
  readonly verb: string
  readonly params: Readonly<Record<string, string | undefined>>
}

/** Finds the endpoint of a request. `other` is true when the path exists under another method. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match | { readonly other: boolean } {
  const router = findMyWay({ caseSensitive: true, ignoreTrailingSlash: true, maxParamLength: 500 })
  for (const [method, path, resource, verb] of routes) {
    router.on(method as findMyWay.HTTPMethod, path.replace(/\{(\w+)\}/g, ':$1'), () => undefined, { resource, verb })
  }
  const methods = [...new Set(routes.map(([method]) => method))] as findMyWay.HTTPMethod[]
  return (method, path) => {
    const found = methods.includes(method as findMyWay.HTTPMethod) ? router.find(method as findMyWay.HTTPMethod, path) : null
    if (found) return { ...(found.store as { resource: string; verb: string }), params: found.params }
    return { other: methods.some((it) => router.find(it, path) !== null) }
  }
}
