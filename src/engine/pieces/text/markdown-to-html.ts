import createMarkdownIt, { type MarkdownIt, type StateCore } from 'markdown-it'

/** Input of the action `markdown_to_html`. Stored definitions have these names and flavors, so they never change. */
interface MarkdownOptions {
  /** `github` has strikethrough, task lists, links of plain addresses, and a line break for each line. */
  readonly flavor: 'vanilla' | 'original' | 'github'
  /** Level of the headings of `#`, 1 to 6. */
  readonly headerLevelStart: number
  readonly tables: boolean
  /** Omits the `id` of headings. */
  readonly noHeaderId: boolean
  readonly simpleLineBreaks: boolean
  readonly openLinksInNewWindow: boolean
}

/** Marks the end of a list item. The parser replaces this character, so that no Markdown contains it. */
const itemEnd = '\0'

/**
 * Converts Markdown to HTML. HTML inside it is passed through. It never fails. Later steps of stored automations use the result, so
 * that a change of the HTML changes what they do.
 */
export function markdownToHtml(markdown: string, options: MarkdownOptions): string {
  return createParser(options)
    .render(markdown.replaceAll('\t', '    '))
    .replaceAll(`\n${itemEnd}`, '')
    .replaceAll(itemEnd, '')
    .trimEnd()
}

function createParser(options: MarkdownOptions): MarkdownIt {
  const isGithub = options.flavor === 'github'
  const parser = createMarkdownIt({
    html: true,
    xhtmlOut: true,
    breaks: isGithub || options.simpleLineBreaks,
    linkify: isGithub,
  })
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  for (const schema of ['ftp:', '//', 'mailto:']) parser.linkify.add(schema, null)
  for (const schema of ['http:', 'https:']) parser.linkify.add(schema, { validate: addressLength })
  // Addresses are passed through, as all HTML is.
  parser.validateLink = () => true
  parser.normalizeLink = (url) => url
  parser.normalizeLinkText = (text) => text
  if (!isGithub) parser.disable('strikethrough')
  if (!options.tables) parser.disable('table')
  if (isGithub) parser.core.ruler.after('block', 'tasks', markTasks)
  parser.core.ruler.before('text_join', 'format', (state) => format(state, options))
  const { rules } = parser.renderer
  const { escapeHtml } = parser.utils
  rules.fence = (tokens, at) => {
    const [language = ''] = escapeHtml(tokens[at]?.info.trim() ?? '').split(' ')
    const name = language === '' ? '' : ` class="${language} language-${language}"`
    return `<pre><code${name}>${escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`
  }
  rules.list_item_open = (tokens, at) => `<li>${tokens[at]?.content}`
  rules.list_item_close = () => `${itemEnd}</li>\n`
  return parser
}

/** Returns the length of an address after its scheme. Punctuation at its end belongs to the sentence around it. */
const addressLength = (text: string, from: number): number =>
  /^\/\/[^\s<>[\]]{1,2000}/.exec(text.slice(from))?.[0].replace(/[.,:;!?'")*_~]+$/, '').length ?? 0

/** Replaces `[x]` at the start of list items with checkboxes. */
function markTasks({ tokens }: StateCore): void {
  for (const [at, item] of tokens.entries()) {
    const text = tokens[at + 2]
    if (item.type !== 'list_item_open' || text?.type !== 'inline') continue
    const [whole = '', mark = ''] = /^\[([ xX])\] +/.exec(text.content) ?? []
    if (whole === '') continue
    text.content = text.content.slice(whole.length)
    item.content = `<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'} /> `
  }
}

/** Sets ids and levels of headings, attributes of links and cells, and preserves character references such as `&copy;`. */
function format({ tokens }: StateCore, options: MarkdownOptions): void {
  const ids = new Map<string, number>()
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + options.headerLevelStart - 1)}`
    if (token.type === 'heading_open' && !options.noHeaderId) {
      const id = headingId(tokens[at + 1]?.content ?? '', options.flavor)
      const count = ids.get(id) ?? 0
      ids.set(id, count + 1)
      if (id !== '') token.attrSet('id', count === 0 ? id : `${id}-${count}`)
    }
    const style = token.attrGet('style')
    if (style !== null) token.attrSet('style', `${style};`)
    for (const child of token.children ?? [])
      if (child.type === 's_open' || child.type === 's_close') child.tag = 'del'
      else if (child.type === 'text_special' && child.info === 'entity') {
        child.type = 'html_inline'
        child.content = child.markup
      } else if (child.type === 'link_open' && options.openLinksInNewWindow) {
        child.attrSet('rel', 'noopener noreferrer')
        child.attrSet('target', '_blank')
      }
  }
}

/** Returns the id of a heading; `github` separates its words with hyphens, the others join them. */
function headingId(text: string, flavor: MarkdownOptions['flavor']): string {
  const plain = text.toLowerCase().replace(/[`*~]|\]\([^)]*\)|<[^>]*>/g, '')
  return flavor === 'github' ? plain.replace(/ /g, '-').replace(/[^\p{L}\p{N}_-]/gu, '') : plain.replace(/[^\w]/g, '')
}
