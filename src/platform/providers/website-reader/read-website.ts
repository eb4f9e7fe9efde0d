import type { HttpPort, HttpResponse, WebPage, WebsiteSource } from '../../../engine/ports.ts'
import { charsetOf, decodeText } from '../../../node/decode-text.ts'
import { parseJson } from '../../../node/json.ts'
import { type PageContent, readHtml } from './html-text.ts'

/** A page cannot be read. The message is for the operator; `again` marks a temporary failure. */
class UnreadablePageError extends Error {
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
  return Object.entries(value).flatMap(([name, inner]) =>
    flattenJson(inner, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`),
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

/** Milliseconds one page may take. The signal limits the whole document. */
const pageTimeoutMs = 8000
/** Maximum characters of a document, all its pages together. */
const maxTextLength = 400_000

/** Returns the URL without its fragment, to identify a page. */
const withoutFragment = (url: URL): string => `${url.origin}${url.pathname}${url.search}`

/** Fetches a page with its links on the same server. @throws UnreadablePageError, StepFailure */
async function fetchPage(
  http: HttpPort,
  address: string,
  signal: AbortSignal,
): Promise<WebPage & { readonly links: readonly string[] }> {
  const headers = {
    accept: 'text/html, text/plain, text/markdown, application/json;q=0.9',
    'user-agent': 'parley-reader',
  }
  const {
    status,
    headers: responseHeaders,
    body,
    url: from = address,
  } = await http.send({ method: 'GET', url: address, headers, timeout: pageTimeoutMs }, signal)
  if (status < 200 || status > 299)
    throw new UnreadablePageError(`${new URL(address).host} returned status ${status}.`, isTemporary(status))
  const { title, text, links } = readPage(responseHeaders['content-type'] ?? '', body)
  const own = links
    .flatMap((it) => (URL.canParse(it, from) ? [new URL(it, from)] : []))
    .filter((it) => it.origin === new URL(from).origin)
  return { address: from, title, text, links: own.map(withoutFragment) }
}

const isTemporary = (status: HttpResponse['status']): boolean => status === 408 || status === 429 || status >= 500

const toFailure = (error: unknown): { reason: string; again: boolean } => {
  const { message, again, isTemporary } = error as Error & { again?: boolean; isTemporary?: boolean }
  return { reason: message, again: again ?? isTemporary ?? false }
}

/**
 * Reads the pages of a website: the listed ones, or the page at its URL and the pages it links to on the same server,
 * nearest first. Listed pages must be readable; linked ones may be missing. When the signal aborts, the pages read so
 * far are returned if only linked ones remain.
 */
export async function readWebsite(http: HttpPort, { url, links = [], limit }: WebsiteSource, signal: AbortSignal) {
  const pages: WebPage[] = []
  let size = 0
  const addPage = ({ address, title, text }: WebPage): void => {
    const fittingText = text.slice(0, Math.max(0, maxTextLength - size))
    size += fittingText.length
    if (fittingText !== '') pages.push({ address, title, text: fittingText })
  }
  try {
    const queue: string[] = []
    for (const address of [...(url === undefined ? [] : [url]), ...links]) {
      const { links: further, ...page } = await fetchPage(http, address, signal)
      addPage(page)
      if (address === url) queue.push(...further)
    }
    const known = new Set([url, ...links].filter((it) => it !== undefined).map((it) => withoutFragment(new URL(it))))
    for (let followed = 0; followed < limit && size < maxTextLength && !signal.aborted; ) {
      const next = queue.shift()
      if (next === undefined) break
      if (known.has(next)) continue
      known.add(next)
      followed += 1
      const page = await fetchPage(http, next, signal).catch(() => undefined)
      if (page) {
        addPage(page)
        queue.push(...page.links)
      }
    }
  } catch (error) {
    const { reason, again } = signal.aborted
      ? { reason: 'The website did not respond in time.', again: true }
      : toFailure(error)
    return { ok: false, reason, again } as const
  }
  return pages.length > 0
    ? ({ ok: true, pages } as const)
    : ({ ok: false, reason: 'The website contains no text.', again: false } as const)
}
