import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { usageError } from '../../errors/usage-error.ts'

/** A request that the receiver got. */
export interface Delivered {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Where a receiver listens, and how the platform reaches it. */
export interface ReceiverOptions {
  /** Public URL that forwards to the receiver (default: its address on loopback). */
  readonly url?: string | undefined
  /** Port on loopback (default: any that is free). */
  readonly port?: number | undefined
}

/** Maximum size of a payload that is read, in bytes. */
const maxPayloadBytes = 4 * 1024 * 1024

/** Receives webhooks on loopback, at paths that cannot be guessed, and answers each with 200. */
export class WebhookReceiver {
  readonly #received: Delivered[] = []
  readonly #secret = randomUUID()
  readonly #server = createServer((request, response) => {
    this.#receive(request).then(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      () => response.destroy(),
    )
  })
  #base = ''

  /** Starts a receiver. @throws ClientFailure `usage` if the port is in use */
  static async start({ url, port = 0 }: ReceiverOptions = {}): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    }).catch((error: Error) => {
      throw usageError(
        `The receiver of webhooks cannot listen on port ${port}: ${error.message}.`,
        'Pass another --receiver-port.',
      )
    })
    const own = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}`
    receiver.#base = (url ?? own).replace(/\/+$/, '')
    return receiver
  }

  /** Returns the URL at which the platform reaches a path. */
  urlOf(name: string): string {
    return `${this.#base}/${this.#secret}/${name}`
  }

  /** Returns the requests to a path, the oldest first. */
  receivedAt(name: string): readonly Delivered[] {
    return this.#received.filter((it) => it.path.endsWith(`/${this.#secret}/${name}`))
  }

  async #receive(request: IncomingMessage): Promise<void> {
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
    this.#received.push({ path, method, headers, body: Buffer.concat(chunks).toString('utf8') })
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((done) => void this.#server.close(() => done()))
  }
}
