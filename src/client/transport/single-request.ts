import type { Socket } from 'node:net'
import type { PlainRequest, PlainResponse } from '../../contract/mechanics/http-message.ts'
import { type HttpConnectionOptions, ResponseCollector, watchTimeout } from './http-connection.ts'
import { type SendOptions, TransportError } from './transport.ts'
import { toTransportError } from './transport-errors.ts'

/** A response whose head was read without node:http. */
interface ResponseHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bodyStart: number
  readonly bodyLength: number
}

/** Maximum size of a head that is read without node:http. */
const maxHeadBytes = 16 * 1024
const headEnd = Buffer.from('\r\n\r\n')
const token = /^[!#$%&'*+.^`|~\w-]+$/
const printable = /^[\t\x20-\x7e]*$/

/** Returns whether a request can be written without node:http: a read, without characters that need an encoding. */
export const isSimple = ({ method, url, headers, body }: PlainRequest): boolean =>
  method === 'GET' &&
  body === undefined &&
  /^[\x21-\x7e]+$/.test(url) &&
  Object.entries(headers).every(([name, value]) => token.test(name) && printable.test(value))

/** Returns the text of a simple request, as node:http writes it for a connection that is used once. */
const formatRequest = ({ method, url, headers }: PlainRequest): string =>
  `${method} ${url} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}Connection: close\r\n\r\n`

/**
 * Reads the head of a response with a known length. Undefined while it is incomplete; null for every other response,
 * such as one in chunks or a malformed one, which node:http reads.
 */
function readHead(received: Buffer): ResponseHead | null | undefined {
  const end = received.indexOf(headEnd)
  if (end < 0) return received.length > maxHeadBytes ? null : undefined
  const [first = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const [, status] = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e]*)?$/.exec(first) ?? []
  if (status === undefined || status === '204' || status === '304') return null
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name = '', value] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*$/.exec(line) ?? []
    // Node has rules of its own for repeated headers.
    if (value === undefined || Object.hasOwn(headers, name.toLowerCase())) return null
    headers[name.toLowerCase()] = value
  }
  const length = headers['content-length']
  if (length === undefined || !/^\d{1,9}$/.test(length) || 'transfer-encoding' in headers || 'upgrade' in headers)
    return null
  return { status: Number(status), headers, bodyStart: end + headEnd.length, bodyLength: Number(length) }
}

/** Options of a single request. */
export interface SingleRequestOptions extends Pick<HttpConnectionOptions, 'maxBytes'>, SendOptions {
  /** Opens a connection. */
  readonly open: () => Socket
  /** Name of the event when the connection is established. */
  readonly connected: 'connect' | 'secureConnect'
  /**
   * Reads the response with node:http instead. The socket has sent the request; it has received these bytes, and more
   * unless it has ended.
   */
  readonly readWithHttp: (socket: Socket, received: Buffer, hasEnded: boolean) => Promise<PlainResponse>
}

/**
 * Sends a simple request on a connection of its own, without node:http, which takes longer to load than the request.
 * @throws TransportError
 */
export function sendSingleRequest(request: PlainRequest, options: SingleRequestOptions): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let head: ResponseHead | undefined
    let sent = false
    let isOver = false
    let isHandedOver = false
    let socket: Socket | undefined

    const settle = (act: () => void): void => {
      if (isOver) return
      isOver = true
      unwatch()
      act()
    }
    const fail = (error: TransportError): void =>
      settle(() => {
        reject(error)
        socket?.destroy()
      })
    const unwatch = watchTimeout(options, fail, () => sent)

    const continueWithHttp = (from: Socket, hasEnded: boolean): void => {
      isHandedOver = true
      from.pause()
      options.readWithHttp(from, Buffer.concat(chunks), hasEnded).then(
        (response) => settle(() => resolve(response)),
        (error: TransportError) => fail(error),
      )
    }

    const receive = (from: Socket, chunk: Buffer): void => {
      if (isHandedOver) return
      chunks.push(chunk)
      size += chunk.length
      if (!head) {
        const found = readHead(Buffer.concat(chunks))
        if (found === undefined) return
        if (found === null || found.bodyLength > options.maxBytes) return continueWithHttp(from, false)
        head = found
      }
      const { status, headers, bodyStart, bodyLength } = head
      if (size < bodyStart + bodyLength) return
      if (size > bodyStart + bodyLength) return continueWithHttp(from, false)
      settle(() => {
        from.destroy()
        const collector = new ResponseCollector(options.maxBytes)
        collector.add(Buffer.concat(chunks).subarray(bodyStart))
        collector.toResponse(status, headers).then(resolve, reject)
      })
    }

    try {
      const opened = options.open()
      socket = opened
      opened.on('error', (error) => fail(toTransportError(error, sent)))
      opened.on(options.connected, () => {
        sent = true
        opened.write(formatRequest(request), 'latin1')
      })
      opened.on('data', (chunk: Buffer) => receive(opened, chunk))
      opened.on('end', () => {
        if (!isOver && !isHandedOver) continueWithHttp(opened, true)
      })
    } catch (error) {
      fail(new TransportError('other', (error as Error).message, false, error))
    }
  })
}
