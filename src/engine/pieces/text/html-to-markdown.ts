import { blockElements, hiddenElements, type OpenTag, tokenizeHtml } from './html-tokens.ts'

/** Element that is open, with the Markdown of its content so far. */
interface Frame {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly parts: string[]
  /** Separator before what is added next, which then loses the space at its start. */
  gap: string | undefined
  /** Number of items of a list, or cells of a row. */
  count: number
}

/** Deeper elements are read as if their tags were missing, so that the time stays proportional to the length. */
const maxDepth = 100

/** Open elements that a start tag closes, and the elements that limit this. */
const closedBy: Readonly<Record<string, { readonly closed: readonly string[]; readonly limits: readonly string[] }>> = {
  li: { closed: ['li'], limits: ['ul', 'ol'] },
  dt: { closed: ['dt', 'dd'], limits: ['dl'] },
  dd: { closed: ['dt', 'dd'], limits: ['dl'] },
  tr: { closed: ['tr'], limits: ['table'] },
  td: { closed: ['td', 'th'], limits: ['tr', 'table'] },
  th: { closed: ['td', 'th'], limits: ['tr', 'table'] },
}
const marks: Readonly<Record<string, string>> = {
  strong: '**',
  b: '**',
  em: '_',
  i: '_',
  del: '~~',
  s: '~~',
  strike: '~~',
}

const createFrame = (tag: string, attributes: Frame['attributes'], gap: string | undefined): Frame => ({
  tag,
  attributes,
  parts: [],
  gap,
  count: 0,
})

/** Adds text to the line. */
function add(frame: Frame, given: string): void {
  const text = frame.gap === undefined ? given : given.trimStart()
  if (text === '') return
  if (frame.gap && frame.parts.length > 0) frame.parts.push(frame.gap)
  frame.gap = undefined
  frame.parts.push(text)
}

/** Adds a block, with empty lines around it, or with another separator. */
function addBlock(frame: Frame, block: string, separator = '\n\n'): void {
  if (block === '') return
  if (frame.parts.length > 0) frame.parts.push(separator)
  frame.parts.push(block)
  frame.gap = separator
}

const endsWithSpace = ({ tag, parts }: Frame): boolean =>
  parts.length === 0 ? tag === '' || blockElements.has(tag) : /\s/.test(parts.at(-1)?.at(-1) ?? '')

const prefixLines = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, at) => (at === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n')

const escapeText = (text: string): string => text.replace(/[\\*_`[\]]/g, '\\$&')

/**
 * Converts HTML to Markdown. Scripts and styles are left out, other elements without a counterpart leave their text.
 * Automations store and compare the result: the same HTML must always give the same Markdown (decision 14).
 */
export function htmlToMarkdown(html: string): string {
  return new MarkdownWriter().write(html)
}

class MarkdownWriter {
  readonly #frames: Frame[] = [createFrame('', new Map(), '')]
  #hidden: string | undefined
  #openPre = 0
  #openParagraphs = 0

  write(html: string): string {
    for (const token of tokenizeHtml(html)) {
      if (this.#hidden !== undefined) {
        if (token.kind === 'close' && token.tag === this.#hidden) this.#hidden = undefined
      } else if (token.kind === 'text') this.#addText(token.text)
      else if (token.kind === 'open') this.#open(token)
      else this.#close(token.tag)
    }
    while (this.#frames.length > 1) this.#closeTop()
    return this.#top.parts
      .join('')
      .replace(/[ \t]+\n/g, (it) => (it.startsWith('  ') ? '  \n' : '\n'))
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame
  }

  #addText(text: string): void {
    const top = this.#top
    if (this.#openPre > 0) return add(top, text)
    const collapsed = text.replace(/\s+/g, ' ')
    const joined = endsWithSpace(top) ? collapsed.trimStart() : collapsed
    add(top, top.tag === 'code' ? joined : escapeText(joined))
  }

  #open(token: OpenTag): void {
    const { tag, attributes } = token
    if (hiddenElements.has(tag) && tag !== 'head' && !token.isEmpty) this.#hidden = tag
    else if (tag === 'br') add(this.#top, this.#openPre > 0 ? '\n' : '  \n')
    else if (tag === 'hr') addBlock(this.#top, '* * *')
    else if (tag === 'img') add(this.#top, formatImage(attributes))
    else if (!token.isEmpty) {
      const rule = closedBy[tag]
      if (rule) this.#closeOpen(rule.closed, (it) => rule.limits.includes(it))
      if (this.#openParagraphs > 0 && blockElements.has(tag)) this.#closeOpen(['p'], (it) => blockElements.has(it))
      if (this.#frames.length > maxDepth) return
      if (tag === 'pre') this.#openPre++
      if (tag === 'p') this.#openParagraphs++
      this.#frames.push(createFrame(tag, attributes, this.#openPre > 0 || !blockElements.has(tag) ? undefined : ''))
    }
  }

  /** Closes the innermost open element of one of these names, but none outside a limit. */
  #closeOpen(names: readonly string[], isLimit: (tag: string) => boolean): void {
    for (let at = this.#frames.length - 1; at > 0; at--) {
      const tag = this.#frames[at]?.tag ?? ''
      if (names.includes(tag)) {
        while (this.#frames.length > at) this.#closeTop()
        return
      }
      if (isLimit(tag)) return
    }
  }

  #close(tag: string): void {
    const at = this.#frames.findLastIndex((it) => it.tag === tag)
    if (at > 0) while (this.#frames.length > at) this.#closeTop()
  }

  #closeTop(): void {
    const frame = this.#frames.pop() as Frame
    const parent = this.#top
    if (frame.tag === 'pre') this.#openPre--
    if (frame.tag === 'p') this.#openParagraphs--
    const text = frame.parts.join('')
    const content = text.trim()
    const mark = marks[frame.tag]
    if (mark !== undefined || frame.tag === 'code' || frame.tag === 'a') {
      if (content === '' || (frame.tag === 'code' && this.#openPre > 0)) return add(parent, text)
      if (/^\s/.test(text) && !endsWithSpace(parent)) add(parent, ' ')
      add(parent, formatInline(frame, content, mark))
      if (/\s/.test(text.at(-1) ?? '')) add(parent, ' ')
    } else if (frame.tag === 'td' || frame.tag === 'th') {
      add(parent, ` ${content.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')} |`)
      parent.count++
    } else if (frame.tag === 'tr') {
      const table = this.#frames.findLast((it) => it.tag === 'table') ?? parent
      const rule = table.count++ === 0 ? `\n|${' --- |'.repeat(frame.count)}` : ''
      if (frame.count > 0) addBlock(parent, `| ${content}${rule}`, '\n')
    } else if (frame.tag === 'li') {
      parent.count++
      const start = Number(parent.attributes.get('start') ?? 1)
      const marker = parent.tag === 'ol' ? `${(Number.isInteger(start) ? start : 1) + parent.count - 1}.  ` : '*   '
      addBlock(parent, prefixLines(content, marker, '    '), '\n')
    } else if (/^(?:thead|tbody|tfoot)$/.test(frame.tag)) addBlock(parent, content, '\n')
    else if (!blockElements.has(frame.tag)) add(parent, text)
    else {
      const isNested = (frame.tag === 'ul' || frame.tag === 'ol') && parent.tag === 'li'
      addBlock(parent, formatBlock(frame.tag, text), isNested ? '\n' : '\n\n')
    }
  }
}

const formatTitle = (attributes: Frame['attributes']): string => {
  const title = attributes.get('title')
  return title ? ` "${title.replaceAll('"', '\\"')}"` : ''
}

const formatUrl = (url: string): string => (/[\s()]/.test(url) ? `<${url.replace(/\s+/g, '%20')}>` : url)

function formatImage(attributes: Frame['attributes']): string {
  const source = attributes.get('src')
  return source ? `![${escapeText(attributes.get('alt') ?? '')}](${formatUrl(source)}${formatTitle(attributes)})` : ''
}

function formatInline({ tag, attributes }: Frame, text: string, mark: string | undefined): string {
  if (mark !== undefined) return `${mark}${text}${mark}`
  if (tag === 'code') {
    const maxLength = Math.max(0, ...(text.match(/`+/g) ?? []).map((it) => it.length))
    const fence = '`'.repeat(maxLength + 1)
    const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
    return fence + space + text + space + fence
  }
  const href = attributes.get('href')
  return href ? `[${text}](${formatUrl(href)}${formatTitle(attributes)})` : text
}

function formatBlock(tag: string, text: string): string {
  if (tag === 'pre') {
    const code = text.replace(/^\n/, '').trimEnd()
    return code === '' ? '' : prefixLines(code, '    ', '    ')
  }
  const content = text.trim()
  if (content === '') return ''
  const [, level] = /^h([1-6])$/.exec(tag) ?? []
  if (level !== undefined) {
    const line = content.replace(/\s*\n\s*/g, ' ')
    return level === '1' || level === '2'
      ? `${line}\n${(level === '1' ? '=' : '-').repeat(line.length)}`
      : `${'#'.repeat(Number(level))} ${line}`
  }
  if (tag === 'blockquote') return prefixLines(content, '> ', '> ')
  // A line that starts like a heading, a quote or a list would become one.
  return tag === 'p' || tag === 'div' ? content.replace(/^(\s*)([#>+-]|\d+(?=[.)]))/, escapeStart) : content
}

const escapeStart = (_: string, space: string, start: string): string =>
  /\d/.test(start) ? `${space}${start}\\` : `${space}\\${start}`
