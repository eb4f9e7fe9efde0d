import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { PlainResponse } from '../../../contract/endpoint/http-message.ts'
import { Failure, failures, toEnvelope } from '../../../contract/errors/failures.ts'
import { type ContentCodingError, decompressBody } from '../../../node/content-coding.ts'
import { charsetOf, decodeText, isKnownCharset } from '../../../node/decode-text.ts'
import { stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import type { RequestHandler } from '../app.ts'
import { bodyLimit, bodyTooLarge, invalidForm, maxWebhookBodyBytes, webhookPathPrefix } from './read-input.ts'
import { readMultipart } from './read-multipart.ts'
import { type RemoteClient, remoteClient } from './remote-client.ts'
import { inTurns, maxPerAccount } from './request-turns.ts'

/** Options of a listening server. */
export interface ListenOptions {
  readonly handle: RequestHandler
  readonly host: string
  /** Port to listen on; 0 uses a free one. */
  readonly port: number
  readonly log: (text: string) => void
  /** Time limits for receiving a request, in milliseconds (default: `receiveLimits`). */
  readonly limits?: ReceiveLimits
  /** Paths that only clients on this machine may request. */
  readonly localPaths?: readonly string[]
  /** Whether the server keeps the process running (default: true). */
  readonly keepsProcessRunning?: boolean
  /** Whether accounts share the connections of a database server (default: false). */
  readonly sharesConnections?: boolean
  /** Answers the requests to the pages of the inspector; undefined if the server has none. */
  readonly inspector?: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined
}

/**
 * Pages that have nothing of an account, for any Host: load balancers ask by address, and some of them send no Host at
 * all. Operators have them in their configuration: they never change.
 */
const probes: readonly (string | undefined)[] = ['/healthz', '/readyz']

/**
 * Path of the inspector. The page has the same path in page/app/routes.ts, and people keep its addresses: it never
 * changes.
 */
const inspectorPath = /^\/_parley(?:[/?]|$)/

/** Time limits for receiving a request, in milliseconds. */
interface ReceiveLimits {
  /** From the connection, or the previous response, to the end of the headers. */
  readonly headersMs: number
  /** To the end of the body. */
  readonly requestMs: number
  /** How often connections are checked. */
  readonly checkMs: number
}

const receiveLimits: ReceiveLimits = { headersMs: 20_000, requestMs: 120_000, checkMs: 5000 }
/** Milliseconds without traffic after which the system checks whether the other side still exists. */
const probeAfterMs = 30_000

/** A server on a socket. */
export interface ListeningServer {
  readonly url: string
  /** Answers further requests, but asks clients to use a new connection for the next one. */
  drain(): void
  /** Stops accepting connections, finishes current requests, and aborts those that take longer than `timeoutMs`. */
  close(timeoutMs?: number): Promise<void>
}

/** Milliseconds that current requests get by default when the server stops. */
const defaultCloseMs = 10_000

/** The address is in use, not permitted, or not of this machine. */
export class ListenFailed extends Error {
  readonly exit = 'usage'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Serves a handler on a socket. */
export async function listen({
  handle: handleAtOnce,
  host,
  port,
  log,
  limits = receiveLimits,
  localPaths = [],
  keepsProcessRunning = true,
  inspector,
  sharesConnections = false,
}: ListenOptions): Promise<ListeningServer> {
  const handle = inTurns(handleAtOnce, sharesConnections ? { maxPerAccount } : {})
  const ownHosts = new Set<string>()
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
  }
  const server = createServer(options, (request, response) => {
    respond(request, response).catch((error: Error) => {
      log(error.message)
      response.destroy()
    })
  })
  server.keepAliveTimeout = 65_000
  if (!keepsProcessRunning) {
    server.unref()
    server.on('connection', (socket) => socket.unref())
  }

  let isDraining = false

  function refusalOf(request: IncomingMessage): Failure | undefined {
    const { host = '' } = request.headers
    const isOwnHost = ownHosts.size === 0 || ownHosts.has(host.replace(/:\d+$/, '').toLowerCase())
    if (!isOwnHost && !probes.includes(request.url)) return new Failure('wrong_host')
    const isLocalPath = localPaths.some((path) => request.url?.startsWith(path))
    return isLocalPath && !remoteOf(request).isLocal ? new Failure('forbidden') : undefined
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request)
    if (inspector && !refusal && inspectorPath.test(request.url ?? '')) return inspector(request, response)
    const answer = refusal ? failureResponse(refusal) : await read(request)
    if (answer.cut === 'answer') {
      request.socket.destroy()
      return
    }
    // While the server stops, a connection must not be reused for another request.
    const ending = server.listening && !isDraining ? {} : { connection: 'close' }
    const content = answer.bytes ?? answer.body
    response.writeHead(answer.status, { 'content-length': Buffer.byteLength(content), ...answer.headers, ...ending })
    if (answer.cut === 'body')
      response.write(answer.body.slice(0, answer.body.length >> 1), () => request.socket.destroy())
    else response.end(content)
  }

  async function read(request: IncomingMessage): Promise<PlainResponse> {
    const { method = 'GET', url = '/' } = request
    const hasBody =
      method !== 'GET' &&
      method !== 'HEAD' &&
      (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0)
    let headers = request.headers as Record<string, string>
    const remote = remoteOf(request)
    if (!hasBody) return handle({ method, url, headers, remote })
    const isHook = url.startsWith(webhookPathPrefix)
    const isForm = !isHook && /^multipart\/form-data\b/i.test(headers['content-type'] ?? '')
    const limit = isHook ? maxWebhookBodyBytes : bodyLimit(url, isForm)
    let bytes = await readBytes(request, limit)
    if (bytes === undefined)
      return {
        ...failureResponse(bodyTooLarge(limit)),
        headers: { 'content-type': 'application/json', connection: 'close' },
      }
    if (headers['content-encoding'] !== undefined) {
      const decoded = await decodeBody(bytes, headers['content-encoding'], limit)
      if (decoded instanceof Failure) return failureResponse(decoded)
      bytes = decoded
      const { 'content-encoding': _, 'content-length': __, ...rest } = headers
      headers = rest
    }
    const type = headers['content-type'] ?? ''
    const charset = charsetOf(type)
    if (!isHook && charset !== undefined && !isKnownCharset(charset))
      return failureResponse(
        new Failure('unsupported_encoding', { text: `Unsupported charset ${charset.slice(0, 40)}. Use utf-8.` }),
      )
    const form = isForm ? readMultipart(type, bytes) : undefined
    if (isForm && !form) return failureResponse(invalidForm())
    if (form) return handle({ method, url, headers, remote, ...form })
    return handle({
      method,
      url,
      headers,
      remote,
      body: decodeText(bytes, type),
      ...(isHook && { bytes }),
    })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const actual = typeof address === 'object' && address ? address.port : port
  const shown = host.includes(':') ? `[${host}]` : host
  // On loopback, requests with a foreign host name are rejected, because a web page could send them (DNS rebinding).
  if (/^(127\.|::1$|localhost$)/.test(host))
    for (const name of ['localhost', '127.0.0.1', '[::1]', shown]) ownHosts.add(name)
  return {
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : shown}:${actual}`,
    drain() {
      isDraining = true
    },
    close: (timeoutMs = defaultCloseMs) =>
      new Promise((resolve) => {
        const timer = realTime.setTimeout(() => server.closeAllConnections(), timeoutMs)
        server.close(() => {
          realTime.clearTimeout(timer)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** Returns a body without its compression, or the failure of the request. */
async function decodeBody(bytes: Buffer, encoding: string, limit: number): Promise<Buffer | Failure> {
  try {
    return await decompressBody(bytes, encoding, limit)
  } catch (error) {
    const { reason } = error as ContentCodingError
    if (reason === 'too_large') return bodyTooLarge(limit)
    return reason === 'unsupported'
      ? new Failure('unsupported_encoding')
      : new Failure('malformed', { text: 'The request body could not be decompressed.' })
  }
}

const remoteOf = ({ socket, headers, httpVersion }: IncomingMessage): RemoteClient =>
  remoteClient(socket.remoteAddress ?? '', headers, httpVersion)

const failureResponse = (failure: Failure): PlainResponse => ({
  status: failures[failure.kind].status,
  headers: { 'content-type': 'application/json' },
  body: stringifyJson(toEnvelope(failure)),
})

/** Reads a body; returns undefined if it is too large. Without an async iterator, which would take longer than the rest of the server. */
const readBytes = (request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else {
        request.pause()
        resolve(undefined)
      }
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new Error('The client closed the connection before the end of the request.'))
    })
  })

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  if (code === 'EADDRINUSE')
    return new ListenFailed(`Port ${port} on ${host} is in use.`, 'Pass --port 0 to use a free port.')
  if (code === 'EACCES')
    return new ListenFailed(`You do not have permission to use port ${port}.`, 'Use a port above 1023.')
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ListenFailed(`${host} is not an address of this machine.`, 'Use 127.0.0.1.')
  return new ListenFailed(
    `The server could not listen on ${host}:${port}: ${message}.`,
    'Try another --host or --port.',
  )
}
