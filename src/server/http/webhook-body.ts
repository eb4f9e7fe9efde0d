import { isUtf8 } from 'node:buffer'
import { Failure, failures } from '../../contract/errors/failures.ts'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import { charsetOf, decodeText } from '../../node/decode-text.ts'
import { parseJson } from '../../node/json.ts'
import { addField, type WebhookFile } from '../../services/automations/triggers/webhook-files.ts'
import { type FormPart, parameterOf, splitForm } from './read-multipart.ts'

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

/**
 * Parses the body of a webhook request: JSON and forms as values, files separately, anything else as text.
 * @throws Failure `malformed` for a body that is not the JSON that its type names
 */
export function readWebhookBody({ body, bytes, headers }: PlainRequest): WebhookBody {
  if (body === undefined || (body === '' && !bytes?.length)) return { body: {}, files: [] }
  const type = typeOf(headers)
  const rawBytes = bytes ?? Buffer.from(body)
  // Most requests are JSON, whose bytes need no inspection.
  if (textTypePattern.test(type)) return { body: parseBody(body, type), rawBytes, files: [] }
  const raw = Buffer.from(rawBytes.buffer, rawBytes.byteOffset, rawBytes.byteLength)
  const form = /^multipart\/form-data\b/i.test(type) ? splitForm(type, raw) : undefined
  if (form) return { ...readParts(form.parts), rawBytes }
  if (isFile(type, raw))
    return {
      body: {},
      rawBytes,
      files: [
        {
          field: null,
          name: parameterOf(headers['content-disposition'] ?? '', 'filename') || 'file',
          type: plainType(type),
          bytes: raw,
        },
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
    // Otherwise a run would start that finds no fields.
    if (type !== '')
      throw new Failure('malformed', { text: `${failures.malformed.text} For text, send it as text/plain.` })
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

/** Reads the parts of a form with their files. A field that occurs more than once becomes a list. */
function readParts(parts: readonly FormPart[]): WebhookBody {
  const fields: Record<string, unknown> = {}
  const files: WebhookFile[] = []
  for (const { name, filename, type, content } of parts) {
    if (!name) continue
    if (filename || (type !== '' && isFile(type, content)))
      files.push({ field: name, name: filename || name, type: plainType(type), bytes: content })
    else addField(fields, name, decodeText(content, type))
  }
  return { body: fields, files }
}
