import type { ProxyAgent } from 'undici'
import type { PlainRequest, PlainResponse } from '../../contract/endpoint/http-message.ts'
import { type HttpConnection, type HttpConnectionOptions, ResponseCollector, watchTimeout } from './http-connection.ts'
import { type SendOptions, TransportError } from './transport.ts'
import { toTransportError } from './transport-errors.ts'
import { loadProxyAgent } from './undici-proxy-agent.ts'

/** Opens a connection through a proxy with undici: a CONNECT tunnel for https, an absolute-form request for http. */
export async function openProxiedConnection(
  base: URL,
  proxy: URL,
  { ca, maxBytes }: HttpConnectionOptions,
): Promise<HttpConnection> {
  const Agent = await loadProxyAgent()
  const openAgent = (): ProxyAgent =>
    new Agent({
      uri: proxy.href,
      proxyTunnel: base.protocol === 'https:',
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(ca !== undefined && { requestTls: { ca }, proxyTls: { ca } }),
    })
  let agent = openAgent()

  function send(request: PlainRequest, options: SendOptions): Promise<PlainResponse> {
    if (options.signal?.aborted) return Promise.reject(new TransportError('aborted', 'interrupted', false))
    const current = agent
    return new Promise((resolve, reject) => {
      const gathered = new ResponseCollector(maxBytes)
      let sent = false
      let status = 0
      let headers: Parameters<ResponseCollector['toResponse']>[1] = {}
      let stop: ((reason: Error) => void) | undefined
      const fail = (error: TransportError): void => {
        unwatch()
        reject(error)
        if (stop) stop(error)
        else if (agent === current) {
          // A connection attempt can only be ended by destroying the agent.
          agent = openAgent()
          void current.destroy(error).catch(() => {})
        }
      }
      const unwatch = watchTimeout(options, fail, () => sent)
      current.dispatch(
        {
          origin: base.origin,
          path: request.url,
          method: request.method as 'GET',
          headers: request.headers,
          body: request.bytes ?? request.body ?? null,
        },
        {
          onRequestStart(controller) {
            sent = true
            stop = (reason) => controller.abort(reason)
          },
          onResponseStart(_, code, received) {
            status = code
            headers = received
          },
          onResponseData(_, chunk) {
            try {
              gathered.add(chunk)
            } catch (error) {
              fail(error as TransportError)
            }
          },
          onResponseEnd() {
            unwatch()
            const denied = proxyDenial(status, headers)
            if (denied) reject(denied)
            else gathered.toResponse(status, headers).then(resolve, reject)
          },
          onResponseError(_, error) {
            unwatch()
            reject(error instanceof TransportError ? error : failureOf(error, sent, status > 0))
          },
        },
      )
    })
  }

  const proxyName = `${proxy.protocol}//${proxy.host}`

  function failureOf(error: Error, sent: boolean, answered: boolean): TransportError {
    if (answered) return new TransportError('truncated', 'the response was cut off', true, error)
    const refusal = /\((\d{3})\)/.exec(error.message)?.[1]
    // For http, the request itself was sent to the proxy, and not forwarded.
    if (refusal === '407' || (!sent && refusal)) return proxyRefusal(Number(refusal), error)
    const known = toTransportError(error, sent)
    // Before the tunnel is established, the only connection is the one to the proxy.
    return sent || known.reason === 'tls'
      ? known
      : new TransportError('proxy', `${proxyName}: ${known.message}`, false, error)
  }

  /**
   * Returns the error for a proxy that refuses to forward an http request. With a tunnel, every response is from the
   * platform.
   */
  function proxyDenial(status: number, headers: Readonly<Record<string, unknown>>): TransportError | undefined {
    const isProxys =
      base.protocol === 'http:' &&
      status === 403 &&
      ['x-squid-error', 'proxy-status', 'proxy-agent'].some((it) => headers[it] !== undefined)
    return isProxys ? proxyRefusal(status) : undefined
  }

  /** Returns the error for a refusal by the proxy. Retrying does not change 403 and 407. */
  function proxyRefusal(status: number, cause?: unknown): TransportError {
    const why = status === 407 ? 'requires a user name and a password (407)' : `answered ${status}`
    return new TransportError('proxy', `${proxyName} ${why}`, false, cause, status === 403 || status === 407)
  }

  return { send, close: () => agent.destroy() }
}
