import { htmlEntities } from './html-entities.ts'

/** The text content of a page. */
export interface PageContent {
  readonly title: string | null
  readonly text: string
  /** Link targets as the page contains them. */
  readonly links: readonly string[]
}

/** Elements whose content is not text of the page. */
const ignoredElements = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'select',
  'textarea',
  'canvas',
  'audio',
  'video',
])
/** Elements that start and end a line. */
const blockElements = new Set(
  'address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tr ul'.split(
    ' ',
  ),
)
const paragraphElements = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'pre',
  'blockquote',
  'table',
  'ul',
  'ol',
  'section',
  'article',
])

/**
 * Extracts the plain text, the title and the links of HTML. It never fails: invalid markup is treated as text. The time
 * is proportional to the length.
 */
export function readHtml(html: string): PageContent {
  const lower = html.toLowerCase()
  const links: string[] = []
  let text = ''
  let title: string | null = null
  let preformatted = 0
  let navigation = 0
  const add = (raw: string): void => {
    if (navigation > 0) return
    const decoded = decodeEntities(raw)
    text += preformatted > 0 ? decoded : decoded.replace(/\s+/g, ' ')
  }
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    if (open < 0 || open > at) add(html.slice(at, open < 0 ? undefined : open))
    if (open < 0) break
    if (html.startsWith('<!--', open)) {
      at = indexAfter(html, '-->', open + 4)
      continue
    }
    const [, slash, tag] = /^<(\/?)([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 20)) ?? []
    if (tag === undefined) {
      // A declaration, or a literal less-than sign.
      if (/^<[!?/]/.test(html.slice(open, open + 2))) at = indexAfter(html, '>', open + 2)
      else {
        add('<')
        at = open + 1
      }
      continue
    }
    const attributes = parseAttributes(html, open + 1 + (slash?.length ?? 0) + tag.length)
    at = attributes.end
    const isEnd = slash === '/'
    if (!isEnd && (ignoredElements.has(tag) || tag === 'title')) {
      const end = lower.indexOf(`</${tag}`, at)
      if (tag === 'title' && end >= 0) title ??= decodeEntities(html.slice(at, end)).replace(/\s+/g, ' ').trim() || null
      // An element that is never closed contains the rest of the page.
      at = end < 0 ? html.length : indexAfter(html, '>', end)
      continue
    }
    const href = attributes.values.get('href')
    if (tag === 'a' && href !== undefined) links.push(decodeEntities(href).trim())
    if (tag === 'nav') navigation = Math.max(0, navigation + (isEnd ? -1 : 1))
    if (tag === 'pre') preformatted = Math.max(0, preformatted + (isEnd ? -1 : 1))
    if (navigation > 0) continue
    if (blockElements.has(tag)) text += paragraphElements.has(tag) ? '\n\n' : '\n'
    if (tag === 'li' && !isEnd) text += '- '
    if ((tag === 'td' || tag === 'th') && isEnd) text += ' | '
    const alt = attributes.values.get('alt')
    if (tag === 'img' && alt) add(` ${alt} `)
  }
  return { title, text: normalizeWhitespace(text), links }
}

const indexAfter = (text: string, end: string, from: number): number => {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + end.length
}

const attribute = /[\s/]*([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/y

/** Parses the attributes of a tag. Also returns where the tag ends; a `>` in quotes does not end it. */
function parseAttributes(html: string, from: number): { values: Map<string, string>; end: number } {
  const values = new Map<string, string>()
  attribute.lastIndex = from
  let end = from
  for (let found = attribute.exec(html); found; found = attribute.exec(html)) {
    const [, name = '', double, single, bare] = found
    values.set(name.toLowerCase(), double ?? single ?? bare ?? '')
    end = attribute.lastIndex
  }
  return { values, end: indexAfter(html, '>', end) }
}

/** Trims lines and allows at most one empty line between them. */
const normalizeWhitespace = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[ \t\u00a0]+/g, ' ').replace(/^[ |]+|[ |]+$/g, ''))
    .map((line) => (line === '-' ? '' : line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,30}));?/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return htmlEntities[name] ?? htmlEntities[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
    },
  )
