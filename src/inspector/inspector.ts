import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { ChangeFeed } from '../contract/control/change-feed.ts'
import { inspectorHeaders } from '../contract/values/inspector-headers.ts'
import { findBundleFile } from '../node/bundle-file.ts'
import { crypto } from '../node/crypto.ts'
import { stringifyJson } from '../node/json.ts'
import { realTime } from '../node/real-time.ts'
import { remoteClient } from '../platform/server/http/remote-client.ts'
import type { InspectorBackend } from './backend.ts'
import { callApi } from './gateway.ts'

/** Milliseconds between two looks for changes, and between two signs of life. */
const pollMs = 100
const heartbeatMs = 15_000

/** The streams of changes to open pages. */
interface ChangeStreams {
  /** Sends changes as server-sent events, from now on or from the event that the browser saw last. */
  open(request: IncomingMessage, response: ServerResponse, headers: Readonly<Record<string, string>>): Promise<void>
  close(): void
}

/**
 * Creates the streams of changes. Changes are looked for once for all pages, and only while one is open. page/data/changes.ts reads
 * the events `change` and `resync`; the browser sends the id of the last one when it connects again.
 */
function createChangeStreams(feed: ChangeFeed, log: (text: string) => void): ChangeStreams {
  const pages = new Set<ServerResponse>()
  let cursor = ''
  let timer: NodeJS.Timeout | undefined
  let lastSign = 0
  let isClosed = false

  const send = (
    page: ServerResponse,
    { changes, cursor: id, isGap }: Awaited<ReturnType<ChangeFeed['since']>>,
  ): void => {
    if (isGap) page.write(`id: ${id}\nevent: resync\ndata: {}\n\n`)
    for (const { cursor: own, ...change } of changes)
      page.write(`id: ${own}\nevent: change\ndata: ${stringifyJson(change)}\n\n`)
  }

  async function poll(): Promise<void> {
    try {
      const found = await feed.since(cursor)
      cursor = found.cursor
      for (const page of pages) send(page, found)
      if (realTime.now() - lastSign >= heartbeatMs) {
        lastSign = realTime.now()
        for (const page of pages) page.write(': still here\n\n')
      }
    } catch (error) {
      log(`inspector: ${(error as Error).message}`)
    }
    timer = undefined
    schedule()
  }

  function schedule(): void {
    if (pages.size > 0 && !isClosed) timer ??= realTime.setTimeout(() => void poll(), pollMs)
  }

  return {
    async open(request, response, headers) {
      const last = request.headers['last-event-id']
      const present = await feed.now()
      // Nothing was read while no page was open.
      if (pages.size === 0) cursor = present
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      response.write('retry: 1000\n: connected\n\n')
      if (typeof last === 'string' && last !== '') send(response, await feed.since(last))
      response.on('close', () => pages.delete(response))
      if (isClosed || response.destroyed) return void response.end()
      pages.add(response)
      schedule()
    },
    close() {
      isClosed = true
      realTime.clearTimeout(timer)
      for (const page of pages) page.end()
      pages.clear()
    },
  }
}

/** Headers of every response: only the files of the inspector run, and no other page may embed it or read it. */
const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Who may use an inspector. */
interface PageAccess {
  /** Address and port of the listener, as in its URL: `127.0.0.1:4010`. */
  readonly address: () => string
  /** Whether other machines may use it, and proxies may pass requests on. */
  readonly isPublic: boolean
}

/**
 * Returns why a request is refused: another host name (DNS rebinding), or another page that sends it. `isPage` is
 * whether it may be opened from a link. Undefined if it is allowed.
 */
function findRefusal(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { address, isPublic }: PageAccess,
  isPage: boolean,
): string | undefined {
  const host = headers.host?.toLowerCase() ?? ''
  const port = address().split(':').at(-1) ?? ''
  const own = ['localhost', '127.0.0.1', '[::1]'].map((it) => `${it}:${port}`)
  if (!isPublic && ![...own, address()].includes(host)) return 'This host name is not allowed.'
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': target } = headers
  if (target !== undefined && /^(i?frame|embed|object)$/.test(String(target)))
    return 'The inspector cannot be embedded in another page.'
  if (isPage && headers['sec-fetch-mode'] === 'navigate') return undefined
  const scheme = isPublic && headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  if (origin !== undefined && origin !== `${scheme}://${host}`) return 'Another web page sent this request.'
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'Another web page sent this request.'
  return undefined
}

/** Returns the value of a cookie. */
const cookieOf = ({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined =>
  headers.cookie
    ?.split(';')
    .map((it) => it.trim())
    .find((it) => it.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** A file of the page. */
interface PageFile {
  /** The content, compressed with gzip. */
  readonly bytes: Uint8Array
  readonly type: string
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  png: 'image/png',
}

/** Returns a file of the page that the build writes: its path, or its content in a single executable. */
const findPageFile = (name: string): string | Uint8Array =>
  findBundleFile(import.meta.url, `inspector/${name}`) ??
  fileURLToPath(new URL(`../../dist/inspector/${name}`, import.meta.url))

/**
 * Returns a file of the page by its name, of a folder or of this build; undefined for an unknown one. Names have no path.
 */
async function readPageFile(folder: string | undefined, name: string): Promise<PageFile | undefined> {
  const type = types[/^[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name)?.[1] ?? '']
  if (type === undefined) return undefined
  try {
    const file = folder === undefined ? findPageFile(`${name}.gz`) : `${folder}/${name}.gz`
    return { bytes: typeof file === 'string' ? await readFile(file) : file, type }
  } catch {
    return undefined
  }
}

/** Maximum bytes of a request body of the page, that of the platform (`maxBodyBytes` of platform/server/http/read-input.ts). */
const maxBodyBytes = 2 * 1024 * 1024

/** Returns the body of a request as text, `''` without one; undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Milliseconds for which a code can be used, and a session that nothing uses is valid. */
const codeLifetimeMs = 5 * 60_000
const sessionLifetimeMs = 12 * 3600_000
/** Maximum codes and sessions; the oldest end first. */
const maxEntries = 50

/** Codes that sign in once, and the sessions they are exchanged for. Both are secrets of this process. */
interface SignIn {
  /** Creates a code that is valid once, for 5 minutes. */
  createCode(): string
  /** Returns the token of a new session; undefined for a wrong, used or expired code. */
  exchange(code: string): string | undefined
  /** Returns whether a token is of a session. */
  isSignedIn(token: string | undefined): boolean
}

/** Creates the sign-in of an inspector. `now` returns milliseconds. */
function createSignIn(now: () => number): SignIn {
  const codes = new Map<string, number>()
  const sessions = new Map<string, number>()
  // Secrets are found by their hash, so that the time it takes reveals nothing about them.
  const hashOf = (text: string): string => crypto().createHash('sha256').update(text).digest('base64url')
  const add = (to: Map<string, number>, lifetimeMs: number): string => {
    const secret = crypto().randomBytes(32).toString('base64url')
    for (const [hash, until] of to) if (until <= now() || to.size >= maxEntries) to.delete(hash)
    to.set(hashOf(secret), now() + lifetimeMs)
    return secret
  }
  const isValid = (of: Map<string, number>, hash: string): boolean => (of.get(hash) ?? 0) > now()
  return {
    createCode: () => add(codes, codeLifetimeMs),
    exchange(code) {
      const hash = hashOf(code)
      const isKnown = isValid(codes, hash)
      codes.delete(hash)
      return isKnown ? add(sessions, sessionLifetimeMs) : undefined
    },
    isSignedIn(token) {
      if (token === undefined) return false
      const hash = hashOf(token)
      if (!isValid(sessions, hash)) return false
      sessions.delete(hash)
      sessions.set(hash, now() + sessionLifetimeMs)
      return true
    },
  }
}

/** Maximum requests that are stored, and maximum characters of a stored body. */
const maxRequests = 50
const maxBodyLength = 64_000

/** A request that the test receiver got. page/deliveries/test-receiver.tsx shows it and has a copy of the type. */
interface ReceivedRequest {
  readonly id: number
  /** Real time, ISO 8601. */
  readonly at: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Status of the response. */
  readonly status: number
}

/**
 * An address of the inspector that accepts webhook deliveries and shows them: `/_parley/receiver`. Users have set it as the address
 * of webhooks, and `parley server deliveries` proposes it: it never changes.
 */
interface TestReceiver {
  /** Stores a request and answers it with 200, or with the status of the query parameter `status`. */
  receive(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Returns the stored requests, newest first. */
  list(): readonly ReceivedRequest[]
  clear(): void
}

/** Creates a test receiver. Its requests are only in memory. */
function createTestReceiver(): TestReceiver {
  let stored: readonly ReceivedRequest[] = []
  let last = 0
  return {
    async receive(request, response) {
      const { method = 'POST', url = '' } = request
      const body = await readBody(request)
      const wanted = Number(/[?&]status=([2-5]\d\d)(?:&|$)/.exec(url)?.[1] ?? 200)
      const status = body === undefined ? 413 : wanted
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
      const entry = {
        id: ++last,
        at: new Date(realTime.now()).toISOString(),
        method,
        path: url,
        headers: Object.fromEntries(headers),
        body: (body ?? '').slice(0, maxBodyLength),
        status,
      }
      stored = [entry, ...stored].slice(0, maxRequests)
      const isBodiless = status === 204 || status === 304
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(isBodiless ? undefined : stringifyJson({ received: status < 300, id: entry.id }))
    },
    list: () => stored,
    clear() {
      stored = []
    },
  }
}

/** The inspector of a listener. */
export interface Inspector {
  /** Answers a request to a path below `/_parley`. */
  respond(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Creates a code that signs in once, for 5 minutes. */
  createCode(): string
  /** Ends the streams of changes. */
  close(): void
}

/** Options of an inspector. */
interface InspectorOptions extends PageAccess {
  readonly backend: InspectorBackend
  readonly log: (text: string) => void
  /** Folder of the files of the page (default: that of the build). */
  readonly folder?: string
}

/** A page that the browser may go to after it signed in: `parley ui` and `parley open` name it in the link (`next`). */
const nextPattern = /^\/_parley\/[\w\-./?=&%]*$/

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { ...securityHeaders, 'content-type': 'application/json' }).end(stringifyJson(body))
}

const text = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void => {
  response
    .writeHead(status, { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8', ...headers })
    .end(`${body}\n`)
}

/** Creates the inspector of a listener. Its pages and data are for users who have signed in with a code. */
export function createInspector(options: InspectorOptions): Inspector {
  const { backend, log, folder } = options
  const signIn = createSignIn(realTime.now)
  const receiver = createTestReceiver()
  let streams: ChangeStreams | undefined
  // Cookies do not depend on the port, and several inspectors may run on a machine.
  const cookieName = (): string => `parley_inspector_${options.address().split(':').at(-1)}`

  async function sendFile(response: ServerResponse, name: string, request: IncomingMessage): Promise<void> {
    const file = await readPageFile(folder, name)
    if (!file)
      return text(response, 404, name === 'index.html' ? 'This build has no page of the inspector.' : 'Not found.')
    const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    const content = isCompressed ? file.bytes : gunzipSync(file.bytes)
    response.writeHead(200, {
      ...securityHeaders,
      'content-type': file.type,
      'content-length': content.length,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      // The names of other files have a hash of their content.
      ...(name !== 'index.html' && { 'cache-control': 'public, max-age=31536000, immutable' }),
    })
    response.end(request.method === 'HEAD' ? undefined : content)
  }

  function login(url: URL, response: ServerResponse): void {
    const token = signIn.exchange(url.searchParams.get('code') ?? '')
    if (token === undefined)
      return text(response, 403, 'This link was used or has expired. Open the inspector again: parley ui')
    const next = url.searchParams.get('next') ?? ''
    response
      .writeHead(303, {
        ...securityHeaders,
        'set-cookie': `${cookieName()}=${token}; HttpOnly; SameSite=Strict; Path=/_parley`,
        location: nextPattern.test(next) && !next.includes('//') ? next : '/_parley/',
      })
      .end()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: given = '/' } = request
    const remote = remoteClient(request.socket.remoteAddress ?? '', request.headers, request.httpVersion)
    if (!options.isPublic && !remote.isLocal) return text(response, 404, 'Not found.')
    const [path = '', query = ''] = given.split(/\?(.*)/s)
    const isRead = method === 'GET' || method === 'HEAD'
    const isData = /^\/_parley\/(?:api|session|changes|assets)(?:\/|$)/.test(path)
    const refusal = findRefusal(request, options, isRead && !isData)
    if (refusal !== undefined) return text(response, 403, refusal)
    // Browsers send such paths only when somebody wrote them to leave a folder.
    if (/\.\.|%2e|%2f|%5c|\\|\/\//i.test(path.replace(/^\/_parley\/api\//, '')))
      return text(response, 404, 'Not found.')
    // Deliveries have no cookie. Other machines could fill the list of a public inspector.
    if (!isRead && !options.isPublic && path === '/_parley/receiver') return receiver.receive(request, response)
    if (path.startsWith('/_parley/assets/')) return sendFile(response, path.slice('/_parley/assets/'.length), request)
    if (isRead && path === '/_parley/login') return login(new URL(`http://localhost/?${query}`), response)
    if (!isData) {
      if (!isRead) return text(response, 405, 'Method not allowed.', { allow: 'GET, HEAD' })
      return path === '/_parley'
        ? text(response, 301, '', { location: '/_parley/' })
        : sendFile(response, 'index.html', request)
    }
    if (!signIn.isSignedIn(cookieOf(request, cookieName())))
      return json(response, 401, { message: 'Not signed in. Open the inspector with: parley ui' })
    if (path === '/_parley/session') return json(response, 200, await backend.session())
    if (path === '/_parley/changes') {
      if (!backend.changes) return json(response, 404, { message: 'This platform does not report changes.' })
      streams ??= createChangeStreams(backend.changes, log)
      return streams.open(request, response, securityHeaders)
    }
    // A form or a link of another page cannot set a header.
    if (request.headers[inspectorHeaders.page] !== '1')
      return json(response, 403, { message: 'The header Parley-Inspector is missing.' })
    if (path === '/_parley/api/received') {
      if (method === 'DELETE') receiver.clear()
      return json(response, 200, { body: { data: receiver.list() }, shown: {}, command: null })
    }
    const body = isRead ? '' : await readBody(request)
    if (body === undefined) return json(response, 413, { message: 'The request body is larger than 2 MB.' })
    const { status, body: content } = await callApi(backend, {
      method,
      url: given.slice('/_parley/api'.length),
      headers: request.headers as Record<string, string>,
      body,
    })
    json(response, status, content)
  }

  return {
    createCode: signIn.createCode,
    close: () => streams?.close(),
    respond: (request, response) =>
      answer(request, response).catch((error: Error) => {
        log(`inspector: ${error.stack ?? error.message}`)
        if (response.headersSent) response.destroy()
        else json(response, 500, { message: 'The inspector failed. See the log of the server.' })
      }),
  }
}
