import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import { parseBaseUrl } from './base-url.ts'
import type { HttpConnection } from './http-connection.ts'
import { proxyFor } from './proxy-settings.ts'
import type { Transport } from './transport.ts'

export interface RemoteOptions {
  /** Allows plain http to another machine. */
  readonly insecure?: boolean
  /** Read for HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Authorities to trust instead of the built-in ones, PEM. */
  readonly ca?: string
  /** Bytes of the largest answer that is taken; 32 MB unless given. */
  readonly maxBytes?: number
}

/**
 * Carries requests to a platform over http or https, through a proxy where the environment names one. Connections are kept and used again until `close`.
 * @throws ClientFailure `usage` for a base URL that cannot be used
 */
export function remoteTransport(
  baseUrl: string,
  { insecure, env = {}, ca, maxBytes = 32 * 1024 * 1024 }: RemoteOptions = {},
): Transport {
  const base = parseBaseUrl(baseUrl, insecure)
  const prefix = base.pathname.replace(/\/+$/, '')
  const proxy = proxyFor(base, env)
  let carrier: Promise<HttpConnection> | undefined

  async function open(): Promise<HttpConnection> {
    const options = { maxBytes, ...(ca !== undefined && { ca }) }
    if (proxy) return (await import('./proxied-connection.ts')).openProxiedConnection(base, proxy, options)
    return (await import('./direct-connection.ts')).openDirectConnection(base, options)
  }

  return {
    base: base.origin + prefix,
    async send(request, options) {
      carrier ??= open()
      return (await carrier).send(toRemoteRequest(request, prefix, base.host), options)
    },
    async close() {
      await (await carrier)?.close()
      carrier = undefined
    },
  }
}

function toRemoteRequest(request: PlainRequest, prefix: string, host: string): PlainRequest {
  const length = request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }
  return {
    ...request,
    url: prefix + request.url,
    headers: { ...request.headers, ...length, host, 'accept-encoding': 'identity' },
  }
}
