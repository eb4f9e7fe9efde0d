import { type LookupAddress, lookup } from 'node:dns'
import { type IncomingMessage, request as openHttp, type RequestOptions } from 'node:http'
import { request as openHttps } from 'node:https'
import { type ContentCodingError, decompressBody } from '../../node/content-coding.ts'
import { withTimeLimit } from '../../node/time-limit.ts'
import { traceHeaders } from '../../node/trace.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import type { HttpPort, HttpRequest, HttpResponse, PrivateAccess } from '../ports.ts'
import { classifyAddress, isPrivateAllowed } from './address-policy.ts'
import { safeMethods } from './safe-methods.ts'

/** Which requests are allowed, and how large their responses may be. */
export interface HttpPolicy {
  /**
   * Whether requests to this machine and to private networks are allowed: all, or those to certain hosts. Link-local
   * addresses and metadata services are always blocked.
   */
  readonly allowPrivate: PrivateAccess
  /** Connects to no server at all. */
  readonly isOffline?: boolean | undefined
  /** Maximum size of a response in bytes. */
  readonly maxBytes: number
  readonly maxRedirects: number
  /** How a private address can be allowed, as a sentence at the end of the refusal (default: for the operator of a server). */
  readonly privateHint?: string
  /** Additional trusted certificate authorities in PEM format. */
  readonly ca?: string
}

/** The policy without settings: public addresses only, at most 16 MiB. */
export const defaultPolicy: HttpPolicy = { allowPrivate: false, maxBytes: 16 * 1024 * 1024, maxRedirects: 5 }

const redirectStatuses = new Set([301, 302, 303, 307, 308])
/** Headers that are forwarded when a redirect leads to another origin. Any other header may hold a secret. */
const portableHeaders = /^(?:accept|accept-language|user-agent|content-(?:type|language|encoding))$/

/**
 * Creates an HTTP client over node:http and node:https. The policy applies to every redirect and to every address that
 * a host name resolves to.
 */
export function createHttpClient(policy: HttpPolicy = defaultPolicy): HttpPort {
  return {
    send: (request, signal) =>
      withTimeLimit(Math.ceil(request.timeout), [signal], async (limited) => {
        try {
          return await sendFollowingRedirects(request, limited, policy, (incoming) =>
            readResponse(incoming, policy.maxBytes),
          )
        } catch (error) {
          if (signal.aborted) throw signal.reason
          if (limited.aborted)
            throw new StepFailure(`The server did not answer within ${request.timeout / 1000} seconds.`, {
              isTemporary: true,
            })
          throw error
        }
      }),
  }
}

/** A response whose body is read as it arrives. */
export interface HttpStream extends Omit<HttpResponse, 'body'> {
  /** Rejects with a StepFailure when the connection breaks, or the body is larger than the policy allows. */
  readonly body: AsyncIterable<Buffer>
  /** Ends the connection without reading the rest. */
  readonly close: () => void
}

/**
 * Sends a request under a policy and returns the response before its body. The caller reads the body to its end or closes it. `timeout` of
 * the request limits the time to the response; the signal limits all.
 * @throws StepFailure
 */
export const openHttpStream = (request: HttpRequest, signal: AbortSignal, policy: HttpPolicy): Promise<HttpStream> =>
  sendFollowingRedirects(request, signal, policy, async (incoming) => {
    const { statusCode: status = 0 } = incoming
    const close = (): void => void incoming.destroy()
    return { status, headers: headersOf(incoming), body: readLimited(incoming, policy.maxBytes, request.url), close }
  })

async function* readLimited(incoming: IncomingMessage, maxBytes: number, url: string): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  } catch (error) {
    throw toFailure(error, new URL(url))
  } finally {
    incoming.destroy()
  }
}

async function sendFollowingRedirects<T extends { readonly status: number; readonly headers: HttpResponse['headers'] }>(
  first: HttpRequest,
  signal: AbortSignal,
  policy: HttpPolicy,
  read: (incoming: IncomingMessage) => Promise<T>,
): Promise<T & { readonly url: string }> {
  let request = first
  for (let turn = 0; turn <= policy.maxRedirects; turn += 1) {
    const reply = await exchange(request, signal, policy, read)
    const { location } = reply.headers
    if (!redirectStatuses.has(reply.status) || location === undefined) return { ...reply, url: request.url }
    ;(reply as Partial<HttpStream>).close?.()
    request = nextRequest(request, reply.status, location)
  }
  throw new StepFailure(`The server redirected the request more than ${policy.maxRedirects} times.`)
}

function nextRequest(request: HttpRequest, status: number, location: string): HttpRequest {
  if (!URL.canParse(location, request.url))
    throw new StepFailure('The server redirected the request to an invalid address.')
  const url = new URL(location, request.url)
  const from = new URL(request.url)
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw new StepFailure('The server redirected the request from https to http.')
  const { method, headers, body, timeout } = request
  const isGet = (status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST')
  const isDropped = (name: string): boolean =>
    (url.origin !== from.origin && !portableHeaders.test(name)) || (isGet && /^(content-|transfer-encoding)/.test(name))
  const forwardedHeaders = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !isDropped(name.toLowerCase())),
  )
  return {
    method: isGet ? 'GET' : method,
    url: url.href,
    headers: forwardedHeaders,
    body: isGet ? undefined : body,
    timeout,
  }
}

async function exchange<T>(
  request: HttpRequest,
  signal: AbortSignal,
  policy: HttpPolicy,
  read: (incoming: IncomingMessage) => Promise<T>,
): Promise<T> {
  const url = new URL(request.url)
  if (policy.isOffline) throw new StepFailure(`This platform connects to no other server: ${url.host} was not reached.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new StepFailure(`Unsupported protocol ${url.protocol} Use http or https.`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = /^[\d.]+$/.test(host) || host.includes(':')
  if (literal) requireAllowedAddress(host, host, policy)
  const open = url.protocol === 'https:' ? openHttps : openHttp
  const options: RequestOptions & { rejectUnauthorized: true; ca?: string } = {
    method: request.method,
    headers: buildHeaders(request),
    signal,
    agent: false,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable the check.
    rejectUnauthorized: true,
    ...(policy.ca !== undefined && { ca: policy.ca }),
    // The connection uses the address that was checked, so that a DNS change between check and connection (DNS
    // rebinding) has no effect.
    lookup: (name, given, done) =>
      lookup(name, { ...given, all: true }, (error, found) => {
        if (error) return done(error, [])
        try {
          for (const { address } of found) requireAllowedAddress(address, name, policy)
          const [one] = found as LookupAddress[]
          if (!one) throw new StepFailure(`DNS lookup for ${name} returned no address.`)
          if (given.all) done(null, found)
          else done(null, one.address, one.family)
        } catch (refusal) {
          done(refusal as Error, [])
        }
      }),
  }
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : toFailure(error, url))
    const outgoing = open(url, options, (incoming) => read(incoming).then(resolve, fail))
    outgoing.on('error', fail)
    outgoing.end(request.body)
  })
}

function buildHeaders({ headers, body, method }: HttpRequest): Record<string, string | number> {
  const lower = new Set(Object.keys(headers).map((it) => it.toLowerCase()))
  const length = body === undefined ? undefined : Buffer.byteLength(body)
  const framing = Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !/^(host|content-length|transfer-encoding|connection|expect|upgrade|accept-encoding)$/i.test(name),
    ),
  )
  return {
    ...(!lower.has('accept') && { accept: '*/*' }),
    ...(!lower.has('traceparent') && traceHeaders()),
    ...(!lower.has('user-agent') && { 'user-agent': 'parley-automation' }),
    // Some servers compress anyway; the limit of the size then applies to the decoded content.
    'accept-encoding': 'identity',
    ...framing,
    ...(length !== undefined ? { 'content-length': length } : !safeMethods.includes(method) && { 'content-length': 0 }),
  }
}

function requireAllowedAddress(address: string, name: string, { allowPrivate, privateHint }: HttpPolicy): void {
  const reach = classifyAddress(address)
  if (reach === 'public' || (reach === 'private' && isPrivateAllowed(allowPrivate, name, address))) return
  const where = address === name ? address : `${name} (${address})`
  throw new StepFailure(
    reach === 'never'
      ? `Requests to ${where} are not allowed.`
      : `Requests to ${where} are not allowed: the address is on a private network. ${privateHint ?? 'The operator of the server can allow it with --allow-private.'}`,
  )
}

const tooLarge = (maxBytes: number): StepFailure =>
  new StepFailure(`The response is larger than ${maxBytes / 1024 / 1024} MB.`)

/** Returns the values of headers by lower-case name. */
const headersOf = (incoming: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

async function readResponse(incoming: IncomingMessage, maxBytes: number): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let size = 0
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
    incoming.destroy()
    throw tooLarge(maxBytes)
  }
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  const headers = headersOf(incoming)
  const body = Buffer.concat(chunks)
  const { 'content-encoding': encoding, 'content-length': _, ...rest } = headers
  if (encoding === undefined || body.length === 0) return { status: incoming.statusCode ?? 0, headers, body }
  const decoded = await decompressBody(body, encoding, maxBytes).catch(({ reason, coding }: ContentCodingError) => {
    if (reason === 'too_large') throw tooLarge(maxBytes)
    throw new StepFailure(
      reason === 'damaged'
        ? `The response could not be decompressed (${coding}).`
        : `The response uses the unsupported compression ${coding}. Supported are gzip, deflate and br.`,
      { isTemporary: reason === 'damaged' },
    )
  })
  return { status: incoming.statusCode ?? 0, headers: rest, body: decoded }
}

/** Reasons by code, after the name of the host. People read them in steps and deliveries; programs read `isTemporary`. */
const errorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  ENOTFOUND: 'could not be found (DNS lookup failed)',
  EAI_AGAIN: 'could not be found at the moment (DNS lookup failed)',
  EHOSTUNREACH: 'could not be reached',
  ENETUNREACH: 'could not be reached',
  ETIMEDOUT: 'did not answer',
}

function toFailure(error: unknown, url: URL): StepFailure {
  if (error instanceof StepFailure) return error
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/i.test(code))
    return new StepFailure(`The certificate of ${url.host} cannot be trusted (${code}).`)
  return new StepFailure(`${url.host} ${errorTexts[code] ?? `could not be reached: ${message}`}.`, {
    isTemporary: code !== 'ENOTFOUND',
  })
}
