import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { HttpPort, HttpResponse, WebPage, WebsiteSource } from '../../../engine/ports.ts'
import { charsetOf, decodeText } from '../../../node/decode-text.ts'
import { parseJson } from '../../../node/json.ts'

/** The text content of a page. */
interface PageContent {
  readonly title: string | null
  readonly text: string
  /** Link targets as the page contains them. */
  readonly links: readonly string[]
}

const namesOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Elements whose content is not text of the page. One that is never closed contains the rest of the page. */
const ignoredElements = namesOf(
  'script style template noscript svg math iframe object select textarea canvas audio video',
)
/** Ignored elements that a slash at the end of the tag closes. */
const selfClosingElements = namesOf('svg math')
/** Elements that start and end a line. */
const blockElements = namesOf(
  'address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tr ul',
)
/** Elements that start and end a paragraph. */
const paragraphElements = namesOf('p h1 h2 h3 h4 h5 h6 pre blockquote table ul ol section article')

/**
 * Extracts the plain text, the title and the links of HTML. It never fails, and the time is proportional to the length:
 * for this reason it reads tags without building a tree, which takes quadratic time for deeply nested pages.
 */
export function readHtml(html: string): PageContent {
  const reader = new PageReader(html)
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, reader)
  tokenizer.write(html)
  tokenizer.end()
  return reader.content()
}

class PageReader implements TokenizerCallbacks {
  readonly #html: string
  readonly #links: string[] = []
  #text = ''
  #title: string | null = null
  /** The title, while it is read. */
  #titleText: string | undefined
  /** The ignored element that is open. */
  #ignored: string | undefined
  #openPre = 0
  #openNavigation = 0
  #tag = ''
  #attributes = new Map<string, string>()
  #attribute = ''
  #value = ''

  constructor(html: string) {
    this.#html = html
  }

  content(): PageContent {
    return { title: this.#title, text: normalizeWhitespace(this.#text), links: this.#links }
  }

  ontext(start: number, end: number): void {
    this.#add(this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    this.#add(String.fromCodePoint(codePoint))
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase()
    this.#attributes = new Map()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(): void {
    this.#attributes.set(this.#attribute, this.#value)
  }

  onselfclosingtag(): void {
    if (!selfClosingElements.has(this.#tag)) this.onopentagend()
  }

  onopentagend(): void {
    const tag = this.#tag
    if (this.#ignored !== undefined) return
    if (ignoredElements.has(tag)) this.#ignored = tag
    else if (tag === 'title') this.#titleText = ''
    const href = this.#attributes.get('href')
    if (tag === 'a' && href !== undefined) this.#links.push(href.trim())
    if (tag === 'nav') this.#openNavigation++
    if (tag === 'pre') this.#openPre++
    this.#break(tag)
    if (tag === 'li') this.#add('- ')
    const alt = this.#attributes.get('alt')
    if (tag === 'img' && alt) this.#add(` ${alt} `)
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase()
    if (this.#ignored !== undefined) {
      if (tag === this.#ignored) this.#ignored = undefined
      return
    }
    if (tag === 'title' && this.#titleText !== undefined) {
      this.#title ??= this.#titleText.replace(/\s+/g, ' ').trim() || null
      this.#titleText = undefined
    }
    if (tag === 'nav') this.#openNavigation = Math.max(0, this.#openNavigation - 1)
    if (tag === 'pre') this.#openPre = Math.max(0, this.#openPre - 1)
    this.#break(tag)
    if (tag === 'td' || tag === 'th') this.#add(' | ')
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #break(tag: string): void {
    if (this.#openNavigation === 0 && blockElements.has(tag)) this.#text += paragraphElements.has(tag) ? '\n\n' : '\n'
  }

  #add(text: string): void {
    if (this.#ignored !== undefined) return
    if (this.#titleText !== undefined) this.#titleText += text
    else if (this.#openNavigation === 0) this.#text += this.#openPre > 0 ? text : text.replace(/\s+/g, ' ')
  }
}

/** Trims lines, removes soft hyphens, and allows at most one empty line between lines. */
const normalizeWhitespace = (text: string): string =>
  text
    .replaceAll('\u00ad', '')
    .split('\n')
    .map((line) => line.replace(/[ \t\u00a0]+/g, ' ').replace(/^[ |]+|[ |]+$/g, ''))
    .map((line) => (line === '-' ? '' : line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

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

/**
 * Returns the text of a response by its content type. Passages of documents are made from it and stored, so a change applies to
 * documents that are read later. @throws UnreadablePageError
 */
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
