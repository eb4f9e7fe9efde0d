import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * A connection on which node:http reads a response to a request that was already sent: it starts with the bytes that
 * were received so far, and ignores the request that node:http writes.
 */
export class ReplaySocket extends Duplex {
  readonly #socket: Socket

  constructor(socket: Socket, received: Buffer, hasEnded: boolean) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    if (received.length > 0) this.push(received)
    if (hasEnded) {
      this.push(null)
      return
    }
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
