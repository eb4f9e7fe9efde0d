import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** The text content of a page. */
export interface PageContent {
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
