import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from '../cleanup.ts'

/** Request that a receiver got. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what was sent and fail if it is not as expected
  readonly body: any
}

/** Response of a receiver: a status, or none at all. */
export interface Answering {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly hangs?: boolean
}

/**
 * Starts a server on loopback that records requests. It sends the given responses in order, and repeats the last one.
 */
export async function webhookReceiver(...answers: Answering[]) {
  const received: Received[] = []
  const byPath = new Map<string, Answering[]>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const path = request.url ?? ''
    received.push({ path, headers: request.headers as Record<string, string>, text, body: JSON.parse(text) })
    const own = byPath.get(path) ?? answers
    const { status = 200, headers = {}, body = {}, hangs = false } = (own.length > 1 ? own.shift() : own[0]) ?? {}
    if (hangs) return
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, received, at: (path: string, ...own: Answering[]) => void byPath.set(path, own), answers }
}

/**
 * Verifies Standard Webhooks as their specification describes, independently of the code that signs. The signed text is
 * `id.timestamp.body`, the key is the base64 text after `whsec_`, and one of the signatures must match.
 * Returns the body; throws if the verification fails.
 */
export function verify(
  secret: string,
  { headers, text }: Pick<Received, 'headers' | 'text'>,
  now = Date.now(),
): unknown {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name])
  if (!id || !timestamp || !given) throw new Error('A header is missing.')
  if (Math.abs(now / 1000 - Number(timestamp)) > 300) throw new Error('The timestamp is too far from now.')
  const [, key] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret) ?? []
  if (!key || Buffer.from(key, 'base64').length < 24) throw new Error('The secret is none.')
  const own = createHmac('sha256', Buffer.from(key, 'base64'))
  own.update(
    Buffer.concat([Buffer.from(id), Buffer.from('.'), Buffer.from(timestamp), Buffer.from('.'), Buffer.from(text)]),
  )
  const digest = own.digest()
  const isMine = given.split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false
    const bytes = Buffer.from(signature.slice(3), 'base64')
    return bytes.length === digest.length && timingSafeEqual(bytes, digest)
  })
  if (!isMine) throw new Error('No signature matches.')
  return JSON.parse(text)
}
