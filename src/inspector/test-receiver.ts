import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifyJson } from '../node/json.ts'
import { realTime } from '../node/real-time.ts'
import { readBody } from './read-body.ts'

/** Maximum requests that are stored, and maximum characters of a stored body. */
const maxRequests = 50
const maxBodyLength = 64_000

/** A request that the test receiver got. */
export interface ReceivedRequest {
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

/** An address of the inspector that accepts webhook deliveries and shows them. */
export interface TestReceiver {
  /** Stores a request and answers it with 200, or with the status of the query parameter `status`. */
  receive(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Returns the stored requests, newest first. */
  list(): readonly ReceivedRequest[]
  clear(): void
}

/** Creates a test receiver. Its requests are only in memory. */
export function createTestReceiver(): TestReceiver {
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
