import type { PlainRequest } from '../../contract/endpoint/http-message.ts'
import { encodeMultipart } from '../requests/encode-multipart.ts'
import { parseBaseUrl } from './base-url.ts'
import type { HttpConnection } from './http-connection.ts'
import { openProxiedConnection } from './proxied-connection.ts'
import { proxyFor } from './proxy-settings.ts'
import type { Transport } from './transport.ts'

/** Options of a remote transport. */
export interface RemoteOptions {
  /** Allows http to another machine. */
  readonly insecure?: boolean
  /** Environment with HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Certificate authorities to trust instead of the built-in ones, PEM. */
  readonly ca?: string
  /** Maximum size of a response in bytes (default: 32 MB). */
  readonly maxBytes?: number
}

/**
 * Creates a transport to a platform over http or https, through a proxy if the environment names one. Connections are
 * reused until `close`.
 * @throws ClientFailure `usage` for an invalid base URL
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
    if (proxy) return openProxiedConnection(base, proxy, options)
    return (await import('./direct-connection.ts')).openDirectConnection(base, options)
  }

  return {
    base: base.origin + prefix,
    async send(request, options) {
      carrier ??= open()
      const plain = request.files ? await encodeMultipart(request) : request
      return (await carrier).send(toRemoteRequest(plain, prefix, base.host), options)
    },
    async close() {
      await (await carrier)?.close()
      carrier = undefined
    },
  }
}

function toRemoteRequest(request: PlainRequest, prefix: string, host: string): PlainRequest {
  const length =
    request.body === undefined || request.bytes ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }
  return {
    ...request,
    url: prefix + request.url,
    headers: { ...request.headers, ...length, host, 'accept-encoding': 'identity' },
  }
}
