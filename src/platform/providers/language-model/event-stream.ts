/** The response is not a stream of server-sent events, or is too long. */
export class InvalidStreamError extends Error {
  override readonly name = 'InvalidStreamError'
}

/** Maximum bytes of a stream, and maximum characters of one event. */
const maxStreamBytes = 16 * 1024 * 1024
const maxEventLength = 1024 * 1024

/**
 * Yields the `data` of server-sent events. Chunk boundaries do not matter. Comments, names and ids of events are
 * ignored. @throws InvalidStreamError
 */
export async function* parseEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxStreamBytes) throw new InvalidStreamError('The response is too long.')
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > maxEventLength) throw new InvalidStreamError('The response is too long.')
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
      else if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
    }
  }
  // Some servers end the stream without the final empty line.
  const last = rest.replace(/\r$/, '')
  if (last.startsWith('data:')) data.push(last.slice(5).trimStart())
  if (data.length > 0) yield data.join('\n')
}
