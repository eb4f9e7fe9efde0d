import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { realTime } from '../../../../node/real-time.ts'
import { usageError } from '../../../program/errors/usage-error.ts'

/** A request that the receiver got. */
export interface Delivered {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Status with which the receiver answered. */
  readonly status: number
  /** Time of the request in milliseconds. */
  readonly at: number
}

/** Where a receiver listens, and how the platform reaches it. */
export interface ReceiverOptions {
  /** Public URL that forwards to the receiver (default: its address on loopback). */
  readonly url?: string | undefined
  /** Port on loopback (default: any that is free). */
  readonly port?: number | undefined
  /** Returns the time in milliseconds (default: that of the machine). */
  readonly now?: () => number
}

/** Maximum size of a payload that is read, in bytes. */
const maxPayloadBytes = 4 * 1024 * 1024

/** Receives webhooks on loopback, at paths that cannot be guessed, and answers with 200, or the first time with 500. */
export class WebhookReceiver {
  readonly #received: Delivered[] = []
  readonly #secret = randomUUID()
  readonly #server = createServer((request, response) => {
    this.#receive(request).then(
      (status) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'),
      () => response.destroy(),
    )
  })
  #base = ''
  #now: () => number = realTime.now
  readonly #refusing = new Set<string>()

  /** Starts a receiver. @throws ClientFailure `usage` if the port is in use */
  static async start({ url, port = 0, now = realTime.now }: ReceiverOptions = {}): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    receiver.#now = now
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    }).catch((error: Error) => {
      throw usageError(
        `The receiver of webhooks cannot listen on port ${port}: ${error.message}.`,
        'Pass another --receiver-port.',
      )
    })
    receiver.#base = (url ?? `http://127.0.0.1:${receiver.port}`).replace(/\/+$/, '')
    return receiver
  }

  /** Port on loopback. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Returns the URL at which the platform reaches a path. */
  urlOf(name: string): string {
    return `${this.#base}/${this.#secret}/${name}`
  }

  /** Answers the first request to a path with 500, so that the platform sends it again. */
  refuseFirst(name: string): void {
    this.#refusing.add(`/${this.#secret}/${name}`)
  }

  /** Returns the requests to a path, the oldest first. */
  receivedAt(name: string): readonly Delivered[] {
    return this.#received.filter((it) => it.path.endsWith(`/${this.#secret}/${name}`))
  }

  /** Records a request, and returns the status of the answer. */
  async #receive(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length
      if (bytes > maxPayloadBytes) throw new Error('too large')
      chunks.push(chunk as Buffer)
    }
    const { method = '', url: path = '' } = request
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const),
    )
    const refused = [...this.#refusing].find((it) => path.endsWith(it))
    if (refused !== undefined) this.#refusing.delete(refused)
    const status = refused === undefined ? 200 : 500
    this.#received.push({
      path,
      method,
      headers,
      body: Buffer.concat(chunks).toString('utf8'),
      status,
      at: this.#now(),
    })
    return status
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((done) => void this.#server.close(() => done()))
  }
}
