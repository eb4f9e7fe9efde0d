import { isLoopback } from './base-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The proxy an environment names for a URL, or undefined: HTTPS_PROXY or HTTP_PROXY (lower case wins), unless NO_PROXY exempts the host.
 * This machine is never asked through a proxy.
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const named = url.protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || env.HTTP_PROXY
  if (!named || isLoopback(url.hostname) || isExempt(url, env.no_proxy || env.NO_PROXY || '')) return undefined
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`
  return URL.canParse(text) ? new URL(text) : undefined
}

function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    // An IPv6 address has colons of its own; a port after one needs brackets.
    const [, bracketed, named = '', only] = /^(?:\[(.+)\]|(.*?::.*|[^:]*))(?::(\d+))?$/.exec(entry.toLowerCase().replace(/^\*?\./, '')) ?? []
    const bare = bracketed ?? named
    if (bare === '' || (only !== undefined && only !== port)) return false
    return host === bare || host.endsWith(`.${bare}`)
  })
}
