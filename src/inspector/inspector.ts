import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifyJson } from '../node/json.ts'
import { realTime } from '../node/real-time.ts'
import { remoteClient } from '../server/http/remote-client.ts'
import type { InspectorBackend } from './backend.ts'
import { type ChangeStreams, createChangeStreams } from './change-streams.ts'
import { callApi } from './gateway.ts'
import { cookieOf, findRefusal, type PageAccess, securityHeaders } from './page-access.ts'
import { pageFolder, readPageFile } from './page-files.ts'
import { readBody } from './read-body.ts'
import { createSignIn } from './sign-in.ts'
import { createTestReceiver } from './test-receiver.ts'

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
export interface InspectorOptions extends PageAccess {
  readonly backend: InspectorBackend
  readonly log: (text: string) => void
  /** Folder of the files of the page (default: that of the build). */
  readonly folder?: string
}

/** A page that the browser may go to after it signed in. */
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
  const { backend, log, folder = pageFolder() } = options
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
    const content = isCompressed ? file.bytes : (await import('node:zlib')).gunzipSync(file.bytes)
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
    if (request.headers['parley-inspector'] !== '1')
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
