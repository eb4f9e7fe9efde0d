import { connect, type Socket } from 'node:net'
import { quantile } from './measurements.ts'

/** Work of one load process: the same request repeatedly, on persistent connections, each waiting for its response. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly ms: number
  /** Maximum number of requests (default: as many as time allows). */
  readonly limit?: number
  /** Maximum requests a second (default: as many as the server answers). */
  readonly perSecond?: number
  /** Request as on the wire; of several, each connection sends one. */
  readonly request: string | readonly string[]
}

export interface Loaded {
  readonly requests: number
  /** Responses without success. */
  readonly bad: number
  readonly ms: number
  /** Time from a request to its whole response: the median, and what 99 of 100 requests need at most. */
  readonly medianMs: number
  readonly p99Ms: number
}

/** Runs a load. Only the length of responses is parsed: the load must not cost more than the server. */
export async function load({
  port,
  connections,
  ms,
  limit = Number.POSITIVE_INFINITY,
  perSecond = Number.POSITIVE_INFINITY,
  request,
}: Load): Promise<Loaded> {
  const start = performance.now()
  const end = start + ms
  let requests = 0
  let bad = 0
  let sent = 0
  const took: number[] = []
  const maySend = (): boolean => performance.now() < end && sent < limit && ++sent > 0
  /** Writes the next request when its time has come. */
  const send = (socket: Socket, write: () => void): void => {
    if (!maySend()) return void socket.destroy()
    const waitMs = start + (sent / perSecond) * 1000 - performance.now()
    if (waitMs > 1) setTimeout(write, waitMs)
    else write()
  }
  const texts = typeof request === 'string' ? [request] : request
  const one = (_: unknown, n: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const own = texts[n % texts.length] as string
      const socket = connect(port, '127.0.0.1')
      let pending = ''
      let sentAt = 0
      const write = (): void => {
        sentAt = performance.now()
        socket.write(own)
      }
      socket.setEncoding('latin1').setNoDelay()
      socket.on('connect', () => send(socket, write))
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.on('data', (chunk: string) => {
        pending += chunk
        const head = pending.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = Number(/content-length: (\d+)/i.exec(pending)?.[1])
        if (pending.length < head + 4 + length) return
        requests++
        took.push(performance.now() - sentAt)
        if (!pending.startsWith('HTTP/1.1 2')) bad++
        pending = pending.slice(head + 4 + length)
        send(socket, write)
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  const inMs = performance.now() - start
  return { requests, bad, ms: inMs, medianMs: quantile(took, 0.5), p99Ms: quantile(took, 0.99) }
}
