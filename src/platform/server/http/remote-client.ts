import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'

/** Where a request on a socket came from. */
export type RemoteClient = NonNullable<PlainRequest['remote']>

/** Headers that only proxies add. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Returns whether an address is of this machine. */
export const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address)

/**
 * Returns the client of a request. Addresses that a proxy reports count only if the proxy is on this machine; of several,
 * the last one, because a client can send the others itself. nginx speaks HTTP/1.0 by default and adds no header.
 */
export function remoteClient(
  peer: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  httpVersion: string,
): RemoteClient {
  const isProxied = httpVersion === '1.0' || proxyHeaders.some((it) => headers[it] !== undefined)
  if (!isLoopback(peer)) return { address: peer, isProxied, isLocal: false }
  const forwarded = String(headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? '')
  const last = forwarded.split(',').at(-1)?.trim()
  return { address: last || peer, isProxied, isLocal: !isProxied }
}
