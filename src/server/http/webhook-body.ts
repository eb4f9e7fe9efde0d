import { isUtf8 } from 'node:buffer'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import { charsetOf, decodeText } from '../../node/decode-text.ts'
import { parseJson } from '../../node/json.ts'
import { addField, type WebhookFile } from '../../services/automations/triggers/webhook-files.ts'

/** The parsed body of a webhook request. */
export interface WebhookBody {
  readonly body: unknown
  /** The body as it was sent, because signatures are computed over it. */
  readonly rawBytes?: Uint8Array
  readonly files: readonly WebhookFile[]
}

const typeOf = (headers: PlainRequest['headers']): string => headers['content-type'] ?? ''
const binaryTypePattern =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip|x-gzip|x-tar|msword|vnd\.(?!.*[+/](?:json|xml)\b)))/i

const textTypePattern = /^text\/|[/+](?:json|xml|x-www-form-urlencoded)\b|;\s*charset=/i

/**
 * Returns whether a body is a file rather than text: by its type, or if the type is inconclusive, because it is not
 * UTF-8.
 */
function isFile(type: string, bytes: Buffer): boolean {
  if (binaryTypePattern.test(type)) return true
  return !textTypePattern.test(type) && !isUtf8(bytes)
}

/** Parses the body of a webhook request: JSON and forms as values, files separately, anything else as text. */
export function readWebhookBody({ body, bytes, headers }: PlainRequest): WebhookBody {
  if (body === undefined || (body === '' && !bytes?.length)) return { body: {}, files: [] }
  const type = typeOf(headers)
  const rawBytes = bytes ?? Buffer.from(body)
  // Most requests are JSON, whose bytes need no inspection.
  if (textTypePattern.test(type)) return { body: parseBody(body, type), rawBytes, files: [] }
  const raw = Buffer.from(rawBytes.buffer, rawBytes.byteOffset, rawBytes.byteLength)
  const boundary = /^multipart\/form-data\b/i.test(type) ? /\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) : null
  if (boundary) return { ...multipart(raw, boundary[1] ?? boundary[2] ?? ''), rawBytes }
  if (isFile(type, raw))
    return {
      body: {},
      rawBytes,
      files: [
        { field: null, name: fileNameIn(headers['content-disposition']) ?? 'file', type: plainType(type), bytes: raw },
      ],
    }
  return { body: parseBody(body, type), rawBytes, files: [] }
}

function parseBody(text: string, type: string): unknown {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return toFields(readForm(text, type))
  if (type !== '' && !/\bjson\b/i.test(type)) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Parses a form. Its escapes are bytes of the character set that its type names. */
function readForm(text: string, type: string): Iterable<readonly [string, string]> {
  if (/^(?:utf-?8)?$/.test(charsetOf(type) ?? '')) return new URLSearchParams(text)
  const decode = (it: string): string =>
    it
      .replaceAll('+', ' ')
      .replaceAll(/(?:%[\da-f]{2})+/gi, (escaped) => decodeText(Buffer.from(escaped.replaceAll('%', ''), 'hex'), type))
  return text
    .split('&')
    .filter((it) => it !== '')
    .map((it) => {
      const [name = '', ...value] = it.split('=')
      return [decode(name), decode(value.join('='))]
    })
}

/** Returns pairs as fields. A name that occurs more than once has a list. */
export function toFields(pairs: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {}
  for (const [name, value] of pairs) addField(fields, name, value)
  return fields
}

const plainType = (type: string): string => type.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream'
const fileNameIn = (disposition: string | undefined): string | undefined =>
  /\bfilename="((?:[^"\\]|\\.)*)"|\bfilename=([^;\s]+)/i
    .exec(disposition ?? '')
    ?.slice(1)
    .find(Boolean)

/** Parses a multipart form with its files (RFC 7578). A field that occurs more than once becomes a list. */
function multipart(bytes: Buffer, boundary: string): WebhookBody {
  const fields: Record<string, unknown> = {}
  const files: WebhookFile[] = []
  for (const part of partsOf(bytes, boundary)) {
    const split = /\r?\n\r?\n/.exec(part.toString('latin1'))
    if (!split) continue
    const head = part.subarray(0, split.index).toString('utf8')
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
    const field = /\bname="((?:[^"\\]|\\.)*)"|\bname=([^;\s]+)/i
      .exec(disposition.replace(/\bfilename\*?=("[^"]*"|[^;\s]*)/gi, ''))
      ?.slice(1)
      .find(Boolean)
    if (field === undefined) continue
    const content = part.subarray(split.index + split[0].length)
    const name = fileNameIn(disposition)
    const type = /^content-type:(.*)$/im.exec(head)?.[1]
    if (name !== undefined || (type !== undefined && isFile(type.trim(), content)))
      files.push({ field, name: name ?? field, type: plainType(type ?? ''), bytes: content })
    else addField(fields, field, decodeText(content, type))
  }
  return { body: fields, files }
}

/** Splits a form at its boundary. Some senders write LF alone, or no boundary at the end. */
function* partsOf(bytes: Buffer, boundary: string): Generator<Buffer> {
  const lineBreak = bytes.includes('\r\n') ? '\r\n' : '\n'
  const mark = Buffer.from(`--${boundary}`)
  let from = bytes.indexOf(mark)
  while (from >= 0) {
    const start = from + mark.length
    if (bytes.subarray(start, start + 2).toString() === '--') return
    const end = bytes.indexOf(`${lineBreak}--${boundary}`, start)
    yield bytes.subarray(
      start + lineBreak.length,
      end < 0
        ? bytes.length - (bytes.subarray(-lineBreak.length).toString() === lineBreak ? lineBreak.length : 0)
        : end,
    )
    if (end < 0) return
    from = end + lineBreak.length
  }
}
