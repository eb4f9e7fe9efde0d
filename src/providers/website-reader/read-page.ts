import { charsetOf, decodeText } from '../../node/decode-text.ts'
import { parseJson } from '../../node/json.ts'
import { type PageContent, readHtml } from './html-text.ts'

/** A page cannot be read. The message is for the operator; `again` marks a temporary failure. */
export class UnreadablePageError extends Error {
  override readonly name = 'Unreadable'
  readonly again: boolean

  constructor(reason: string, again = false) {
    super(reason)
    this.again = again
  }
}

/** Returns JSON as lines of `path: value`. */
function flattenJson(value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object') return [path === '' ? String(value) : `${path}: ${String(value)}`]
  return Object.entries(value).flatMap(([name, it]) =>
    flattenJson(it, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`),
  )
}

function readJson(text: string): PageContent {
  try {
    return { title: null, text: flattenJson(parseJson(text)).join('\n'), links: [] }
  } catch {
    throw new UnreadablePageError('The page has the content type JSON but is not valid JSON.')
  }
}

/** Decodes a page with the character set of its header, else the one its HTML names. */
function decodeBody(body: Uint8Array, type: string): string {
  const inPage = /<meta[^>]+charset=["']?([\w-]+)/i.exec(Buffer.from(body.subarray(0, 1024)).toString('latin1'))?.[1]
  return decodeText(body, charsetOf(type) === undefined && inPage !== undefined ? `;charset=${inPage}` : type)
}

/** Returns the text of a response by its content type. @throws UnreadablePageError */
export function readPage(type: string, body: Uint8Array): PageContent {
  const kind = type.split(';')[0]?.trim().toLowerCase() || 'text/html'
  if (kind === 'text/html' || kind === 'application/xhtml+xml') return readHtml(decodeBody(body, type))
  if (kind === 'application/json' || kind.endsWith('+json')) return readJson(decodeBody(body, type))
  if (kind.startsWith('text/'))
    return { title: null, text: decodeBody(body, type).replace(/\r\n?/g, '\n').trim(), links: [] }
  throw new UnreadablePageError(`Unsupported content type ${kind}. Use a web page, plain text, Markdown or JSON.`)
}
