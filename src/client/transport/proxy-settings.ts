import { BlockList, isIP } from 'node:net'
import { usageFailure } from '../failures/client-failure.ts'
import { isLoopback } from './base-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Returns the proxy of the environment for a URL, or undefined: HTTPS_PROXY or HTTP_PROXY, else ALL_PROXY (lower case
 * takes precedence), unless NO_PROXY exempts the host. This machine is never reached through a proxy.
 * @throws ClientFailure `usage` for an invalid proxy URL or an unsupported protocol such as SOCKS
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const own = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const variable = [own, 'ALL_PROXY'].find((name) => settingOf(name, env) !== '')
  if (variable === undefined || isLoopback(url.hostname) || isExempt(url, settingOf('NO_PROXY', env))) return undefined
  const named = settingOf(variable, env)
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`
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

const settingOf = (name: string, env: Env): string => env[name.toLowerCase()] || env[name] || ''

/** Returns whether a host is in a list of names, addresses and networks (CIDR), each optionally with a port. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    if (entry.includes('/')) return isInNetwork(host, entry)
    // An IPv6 address contains colons, so a port after it requires brackets.
    const [, bracketed, named = '', only] =
      /^(?:\[(.+)\]|(.*?::.*|[^:]*))(?::(\d+))?$/.exec(entry.toLowerCase().replace(/^\*?\./, '')) ?? []
    const bare = (bracketed ?? named).replace(/\.$/, '')
    if (bare === '' || (only !== undefined && only !== port)) return false
    if (/^\d[\d.]*\.\*$/.test(bare)) return isIP(host) === 4 && host.startsWith(bare.slice(0, -1))
    return host === bare || host.endsWith(`.${bare}`)
  })
}

/** Returns whether a host is an address in a network such as `10.0.0.0/8`. A name is in none. */
function isInNetwork(host: string, network: string): boolean {
  const typeOf = (it: string) => (isIP(it) === 4 ? 'ipv4' : 'ipv6')
  const [, address = '', length = ''] = /^\[?([^\]/]+)\]?\/(\d{1,3})$/.exec(network) ?? []
  if (isIP(host) === 0 || isIP(address) === 0 || Number(length) > (isIP(address) === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(address, Number(length), typeOf(address))
  return list.check(host, typeOf(host))
}
