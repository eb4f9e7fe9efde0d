import { Tokenizer } from 'htmlparser2'

/** Tag that opens an element, with its place in the text. */
export interface OpenTag {
  readonly kind: 'open'
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  /** Position of `<`, and the one after `>`. */
  readonly start: number
  readonly end: number
  /** Whether it has no content: `<br>`, or a slash at its end. */
  readonly isEmpty: boolean
}

type HtmlToken =
  | OpenTag
  | { readonly kind: 'close'; readonly tag: string; readonly start: number; readonly end: number }
  | { readonly kind: 'text'; readonly text: string }

const emptyElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Splits HTML into tags and texts with decoded entities. It never fails, and the time is proportional to the length. */
export function tokenizeHtml(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = []
  let [tag, name, value] = ['', '', '']
  let start = 0
  let attributes = new Map<string, string>()
  const addText = (text: string): void => void tokens.push({ kind: 'text', text })
  const open = (end: number, isEmpty: boolean): void =>
    void tokens.push({ kind: 'open', tag, attributes, start, end: end + 1, isEmpty: isEmpty || emptyElements.has(tag) })
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ontext: (from, to) => addText(html.slice(from, to)),
      ontextentity: (codePoint) => addText(String.fromCodePoint(codePoint)),
      onopentagname(from, to) {
        tag = html.slice(from, to).toLowerCase()
        start = from - 1
        attributes = new Map()
      },
      onattribname(from, to) {
        name = html.slice(from, to).toLowerCase()
        value = ''
      },
      onattribdata(from, to) {
        value += html.slice(from, to)
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint)
      },
      onattribend() {
        if (!attributes.has(name)) attributes.set(name, value)
      },
      onopentagend: (end) => open(end, false),
      onselfclosingtag: (end) => open(end, true),
      onclosetag(from, to) {
        const end = html.indexOf('>', to)
        tokens.push({
          kind: 'close',
          tag: html.slice(from, to).toLowerCase(),
          start: from - 2,
          end: end < 0 ? html.length : end + 1,
        })
      },
      oncdata(from, to, offset) {
        addText(html.slice(from, to - offset))
      },
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return tokens
}

/** Elements whose content is not text of a page. */
export const hiddenElements: ReadonlySet<string> = new Set('script style template noscript head title xml'.split(' '))

/** Elements that start and end a line. */
export const blockElements: ReadonlySet<string> = new Set(
  'address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)

/** Returns the text of HTML without tags. Blocks are on lines of their own, and scripts and styles are left out. */
export function stripHtml(html: string): string {
  let hidden: string | undefined
  const parts: string[] = []
  for (const token of tokenizeHtml(html))
    if (token.kind === 'text') {
      if (hidden === undefined) parts.push(token.text.replace(/\s+/g, ' '))
    } else if (hidden !== undefined) {
      if (token.kind === 'close' && token.tag === hidden) hidden = undefined
    } else if (hiddenElements.has(token.tag) && token.tag !== 'head') {
      if (token.kind === 'open' && !token.isEmpty) hidden = token.tag
    } else if (token.tag === 'br' || blockElements.has(token.tag)) parts.push('\n')
  return parts
    .join('')
    .split('\n')
    .map((line) => line.replace(/[ \u00a0]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}
