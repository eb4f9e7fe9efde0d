import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http, { type IncomingMessage, type RequestListener, type Server } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { type RemoteOptions, remoteTransport } from '../../../src/client/transport/remote-transport.ts'
import type { Transport } from '../../../src/client/transport/transport.ts'

export interface Host {
  readonly port: number
  readonly url: string
  /** Received requests, as `METHOD url`. */
  readonly seen: string[]
  readonly requests: IncomingMessage[]
}

async function listen(server: net.Server, scheme: string, seen: string[], requests: IncomingMessage[]): Promise<Host> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `${scheme}://127.0.0.1:${port}`, seen, requests }
}

function recording(server: Server, answer: RequestListener, seen: string[], requests: IncomingMessage[]): void {
  server.on('request', (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    requests.push(request)
    answer(request, response)
  })
}

/** Starts an HTTP server on loopback for the duration of a test. */
export async function startHost(answer: RequestListener): Promise<Host> {
  const [seen, requests]: [string[], IncomingMessage[]] = [[], []]
  const server = http.createServer()
  recording(server, answer, seen, requests)
  return listen(server, 'http', seen, requests)
}

/** Starts an HTTPS server with a self-signed certificate. */
export async function startTlsHost(answer: RequestListener): Promise<Host & { readonly ca: string }> {
  const { key, cert } = await certificate()
  const [seen, requests]: [string[], IncomingMessage[]] = [[], []]
  const server = https.createServer({ key, cert })
  server.on('tlsClientError', () => {})
  recording(server, answer, seen, requests)
  return { ...(await listen(server, 'https', seen, requests)), ca: cert }
}

/** Starts a plain TCP server that passes received data to `act`. */
export async function startSocket(act: (socket: Socket, received: string) => void): Promise<Host> {
  const seen: string[] = []
  const server = net.createServer((socket) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      seen.push(received)
      act(socket, received)
    })
  })
  return listen(server, 'http', seen, [])
}

/** Returns a port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

export interface Proxy extends Host {
  /** Headers of the requests that the proxy received. */
  readonly headers: http.IncomingHttpHeaders[]
}

/** Starts a proxy that forwards the traffic for every host to one port, or responds with the status `refuse`. */
export async function startProxy(to: number, refuse?: number): Promise<Proxy> {
  const [seen, requests, headers]: [string[], IncomingMessage[], http.IncomingHttpHeaders[]] = [[], [], []]
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    if (refuse) return void response.writeHead(refuse).end()
    const { pathname, search } = new URL(request.url ?? '')
    const onward = http.request(
      {
        host: '127.0.0.1',
        port: to,
        method: request.method ?? 'GET',
        path: pathname + search,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(onward)
  })
  server.on('connect', (request, client, head) => {
    seen.push(`CONNECT ${request.url}`)
    headers.push(request.headers)
    if (refuse) return void client.end(`HTTP/1.1 ${refuse} No\r\n\r\n`)
    const onward = net.connect(to, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) onward.write(head)
      onward.pipe(client)
      client.pipe(onward)
    })
    onward.on('error', () => client.destroy())
    client.on('error', () => onward.destroy())
    client.on('close', () => onward.destroy())
  })
  return { ...(await listen(server, 'http', seen, requests)), headers }
}

let made: Promise<{ key: string; cert: string }> | undefined

/** Returns a self-signed certificate for 127.0.0.1 and platform.test, created once per test file. */
export function certificate(): Promise<{ key: string; cert: string }> {
  made ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-tls-'))
    try {
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
      await execa('openssl', [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=platform.test',
        '-addext',
        'subjectAltName=IP:127.0.0.1,DNS:platform.test',
        '-keyout',
        key,
        '-out',
        cert,
      ])
      return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })()
  return made
}

/** Returns a transport that is closed when the test ends. */
export function remote(url: string, options?: RemoteOptions): Transport {
  const transport = remoteTransport(url, options)
  onTestFinished(() => transport.close())
  return transport
}

/** Returns a listener that responds with JSON. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
