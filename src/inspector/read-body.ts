import type { IncomingMessage } from 'node:http'

/** Maximum bytes of a request body of the page. */
const maxBodyBytes = 2 * 1024 * 1024

/** Returns the body of a request as text, `''` without one; undefined if it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
