import { usageFailure } from '../failures/client-failure.ts'
import { isLoopback } from './base-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Returns the proxy of the environment for a URL, or undefined: HTTPS_PROXY or HTTP_PROXY (lower case takes
 * precedence), unless NO_PROXY exempts the host. This machine is never reached through a proxy.
 * @throws ClientFailure `usage` for an invalid proxy URL or an unsupported protocol such as SOCKS
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const named = url.protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || env.HTTP_PROXY
  if (!named || isLoopback(url.hostname) || isExempt(url, env.no_proxy || env.NO_PROXY || '')) return undefined
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  if (!URL.canParse(text))
    throw usageFailure(
      'proxy_invalid',
      `${variable} is not a valid proxy URL.`,
      'Use a URL such as http://proxy.example:3128. To exempt hosts, set NO_PROXY.',
    )
  const proxy = new URL(text)
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return proxy
  throw usageFailure(
    'proxy_unsupported',
    `${variable} is a ${proxy.protocol.slice(0, -1)} proxy (${proxy.protocol}//${proxy.host}). Only http and https proxies are supported. Nothing was sent.`,
    `Set ${variable} to an http proxy, or exempt ${url.hostname} with NO_PROXY.`,
  )
}

function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    // An IPv6 address contains colons, so a port after it requires brackets.
    const [, bracketed, named = '', only] =
      /^(?:\[(.+)\]|(.*?::.*|[^:]*))(?::(\d+))?$/.exec(entry.toLowerCase().replace(/^\*?\./, '')) ?? []
    const bare = bracketed ?? named
    if (bare === '' || (only !== undefined && only !== port)) return false
    return host === bare || host.endsWith(`.${bare}`)
  })
}
