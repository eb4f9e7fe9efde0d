import { escapeHtml } from './escape-html.ts'
import { type LinkTarget, renderInline } from './markdown-inline.ts'

export interface MarkdownOptions {
  /** `github` has strikethrough, links of plain addresses, and a line break for each line. */
  readonly flavor: 'vanilla' | 'original' | 'github'
  /** Level of the headings of `#`, 1 to 6. */
  readonly headerLevelStart: number
  readonly tables: boolean
  /** Omits the `id` of headings. */
  readonly noHeaderId: boolean
  readonly simpleLineBreaks: boolean
  readonly openLinksInNewWindow: boolean
}

/** Deeper quotes and lists are read as paragraphs, so that the time stays proportional to the length. */
const maxDepth = 20

const fencePattern = /^ {0,3}(`{3,}|~{3,}) *([^`\n]*)$/
const headingPattern = /^ {0,3}(#{1,6})(?:[ \t]+(.*)|$)/
const rulePattern = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/
const itemPattern = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)| +|$)/
const definitionPattern = /^ {0,3}\[([^\]\n]{1,200})\]: *<?([^\s>]+)>?(?: +(?:"([^"\n]*)"|'([^'\n]*)'))? *$/
const htmlPattern = /^ {0,3}<(?:\/?[a-zA-Z][\w-]*(?:[\s/>]|$)|!--)/
const delimiterRowPattern = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/

/** Converts Markdown to HTML. HTML inside it is passed through. It never fails. */
export function markdownToHtml(markdown: string, options: MarkdownOptions): string {
  return new HtmlWriter(options).write(markdown)
}

class HtmlWriter {
  readonly #options: MarkdownOptions
  readonly #references = new Map<string, LinkTarget>()
  readonly #ids = new Map<string, number>()

  constructor(options: MarkdownOptions) {
    this.#options = options
  }

  write(markdown: string): string {
    const lines: string[] = []
    let fence = ''
    for (const line of markdown.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n')) {
      const [, marks = ''] = fencePattern.exec(line) ?? []
      if (fence === '') fence = marks
      else if (marks.startsWith(fence)) fence = ''
      const found = fence === '' && marks === '' ? definitionPattern.exec(line) : null
      if (!found) lines.push(line)
      else
        this.#references.set((found[1] as string).toLowerCase(), {
          url: found[2] as string,
          title: found[3] ?? found[4],
        })
    }
    return this.#blocks(lines, 0).join('\n')
  }

  #inline(text: string): string {
    const { flavor, simpleLineBreaks, openLinksInNewWindow } = this.#options
    return renderInline(text.trim(), {
      lineBreaks: simpleLineBreaks || flavor === 'github',
      newWindow: openLinksInNewWindow,
      isExtended: flavor === 'github',
      references: this.#references,
    })
  }

  #blocks(lines: readonly string[], depth: number): string[] {
    const out: string[] = []
    let at = 0
    while (at < lines.length) {
      const line = lines[at] as string
      const fence = fencePattern.exec(line)
      const heading = headingPattern.exec(line)
      if (line.trim() === '') at++
      else if (/^ {4}/.test(line)) at = this.#indentedCode(lines, at, out)
      else if (fence) at = this.#fencedCode(lines, at, fence, out)
      else if (heading) {
        out.push(this.#heading(heading[1]?.length ?? 1, (heading[2] ?? '').trim().replace(/(?:^|[ \t])#+$/, '')))
        at++
      } else if (rulePattern.test(line)) {
        out.push('<hr />')
        at++
      } else if (depth < maxDepth && /^ {0,3}>/.test(line)) at = this.#quote(lines, at, depth, out)
      else if (depth < maxDepth && itemPattern.test(line)) at = this.#list(lines, at, depth, out)
      else if (htmlPattern.test(line)) {
        const end = nextBlank(lines, at)
        out.push(lines.slice(at, end).join('\n'))
        at = end
      } else if (this.#isTable(lines, at)) at = this.#table(lines, at, out)
      else at = this.#paragraph(lines, at, depth, out)
    }
    return out
  }

  #indentedCode(lines: readonly string[], from: number, out: string[]): number {
    let at = from
    while (at < lines.length && (/^ {4}/.test(lines[at] as string) || lines[at]?.trim() === '')) at++
    const code = lines.slice(from, at).map((line) => line.slice(4))
    out.push(`<pre><code>${escapeHtml(code.join('\n').trimEnd())}\n</code></pre>`)
    return at
  }

  #fencedCode(
    lines: readonly string[],
    from: number,
    [, marks = '', info = '']: RegExpExecArray,
    out: string[],
  ): number {
    const isEnd = (line: string): boolean => line.trim().startsWith(marks) && /^(`+|~+)$/.test(line.trim())
    let at = from + 1
    while (at < lines.length && !isEnd(lines[at] as string)) at++
    const code = escapeHtml(lines.slice(from + 1, at).join('\n'))
    const language = escapeHtml(info.trim().split(' ')[0] ?? '')
    const name = language === '' ? '' : ` class="${language} language-${language}"`
    out.push(`<pre><code${name}>${code}\n</code></pre>`)
    return at + 1
  }

  #heading(level: number, text: string): string {
    const shown = Math.min(6, level + this.#options.headerLevelStart - 1)
    return `<h${shown}${this.#headingId(text)}>${this.#inline(text)}</h${shown}>`
  }

  #headingId(text: string): string {
    if (this.#options.noHeaderId) return ''
    const plain = text.toLowerCase().replace(/[`*~]|\]\([^)]*\)|<[^>]*>/g, '')
    const id =
      this.#options.flavor === 'github'
        ? plain.replace(/ /g, '-').replace(/[^\p{L}\p{N}_-]/gu, '')
        : plain.replace(/[^\w]/g, '')
    if (id === '') return ''
    const count = this.#ids.get(id) ?? 0
    this.#ids.set(id, count + 1)
    return ` id="${id}${count === 0 ? '' : `-${count}`}"`
  }

  #quote(lines: readonly string[], from: number, depth: number, out: string[]): number {
    const inner: string[] = []
    let at = from
    for (; at < lines.length; at++) {
      const line = lines[at] as string
      if (/^ {0,3}>/.test(line)) inner.push(line.replace(/^ {0,3}> ?/, ''))
      // A line without a mark continues the paragraph before it.
      else if (line.trim() !== '' && inner.at(-1)?.trim() !== '' && !startsBlock(line)) inner.push(line)
      else break
    }
    out.push(`<blockquote>\n${this.#blocks(inner, depth + 1).join('\n')}\n</blockquote>`)
    return at
  }

  #list(lines: readonly string[], from: number, depth: number, out: string[]): number {
    const first = (itemPattern.exec(lines[from] as string) as RegExpExecArray)[2] as string
    const kind = (marker: string): string => marker.slice(-1)
    const items: string[][] = []
    let isLoose = false
    let at = from
    while (at < lines.length) {
      const found = itemPattern.exec(lines[at] as string)
      if (!found || kind(found[2] as string) !== kind(first) || rulePattern.test(lines[at] as string)) break
      const indent =
        found[0].length - (found[3] === '' || (found[3] as string).length > 4 ? (found[3] as string).length - 1 : 0)
      const item = [(lines[at] as string).slice(found[0].length)]
      for (at++; at < lines.length; at++) {
        const line = lines[at] as string
        const isBlank = line.trim() === ''
        const spaces = line.length - line.trimStart().length
        if (isBlank) item.push('')
        else if (spaces >= Math.min(indent, 2) && spaces >= (found[1]?.length ?? 0) + 2)
          item.push(line.slice(Math.min(indent, spaces)))
        else if (item.at(-1) !== '' && !startsBlock(line)) item.push(line.trimStart())
        else break
      }
      const next = at < lines.length ? itemPattern.exec(lines[at] as string) : null
      const isFollowed = next !== null && kind(next[2] as string) === kind(first)
      while (item.length > 1 && item.at(-1) === '') {
        item.pop()
        isLoose ||= isFollowed
      }
      isLoose ||= item.some(
        (line, index) =>
          line === '' && !/^ {2,}/.test(item[index + 1] ?? '') && !itemPattern.test(item[index + 1] ?? ''),
      )
      items.push(item)
    }
    const isOrdered = /\d/.test(first)
    const start = Number.parseInt(first, 10)
    const tag = isOrdered ? 'ol' : 'ul'
    const html = items.map((item) => `<li>${this.#item(item, isLoose, depth)}</li>`)
    out.push(`<${tag}${isOrdered && start !== 1 ? ` start="${start}"` : ''}>\n${html.join('\n')}\n</${tag}>`)
    return at
  }

  #item(lines: readonly string[], isLoose: boolean, depth: number): string {
    const [first = '', ...rest] = lines
    const [whole = '', mark = ''] = this.#options.flavor === 'github' ? (/^\[([ xX])\] +/.exec(first) ?? []) : []
    const box = whole === '' ? '' : `<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'} /> `
    const blocks = this.#blocks([first.slice(whole.length), ...rest], depth + 1)
    const shown = isLoose ? blocks : blocks.map((it) => /^<p>([\s\S]*)<\/p>$/.exec(it)?.[1] ?? it)
    return box + shown.join('\n')
  }

  #isTable(lines: readonly string[], at: number): boolean {
    const [head = '', rule = ''] = [lines[at], lines[at + 1]]
    return (
      this.#options.tables &&
      head.includes('|') &&
      rule.includes('-') &&
      delimiterRowPattern.test(rule) &&
      splitCells(head).length === splitCells(rule).length
    )
  }

  #table(lines: readonly string[], from: number, out: string[]): number {
    const styles = splitCells(lines[from + 1] as string).map((cell) => {
      const [left, right] = [cell.startsWith(':'), cell.endsWith(':')]
      const side = left && right ? 'center' : right ? 'right' : left ? 'left' : ''
      return side === '' ? '' : ` style="text-align:${side};"`
    })
    const row = (line: string, tag: string): string => {
      const cells = splitCells(line)
      return `<tr>\n${styles.map((style, index) => `<${tag}${style}>${this.#inline(cells[index] ?? '')}</${tag}>`).join('\n')}\n</tr>`
    }
    let at = from + 2
    while (at < lines.length && lines[at]?.trim() !== '' && !startsBlock(lines[at] as string)) at++
    const rows = lines.slice(from + 2, at).map((line) => row(line, 'td'))
    const body = rows.length > 0 ? `\n<tbody>\n${rows.join('\n')}\n</tbody>` : ''
    out.push(`<table>\n<thead>\n${row(lines[from] as string, 'th')}\n</thead>${body}\n</table>`)
    return at
  }

  #paragraph(lines: readonly string[], from: number, depth: number, out: string[]): number {
    let at = from + 1
    for (; at < lines.length; at++) {
      const line = lines[at] as string
      const [, underline] = /^ {0,3}(=+|-+) *$/.exec(line) ?? []
      if (underline !== undefined) {
        out.push(
          this.#heading(
            underline.startsWith('=') ? 1 : 2,
            lines
              .slice(from, at)
              .map((it) => it.trim())
              .join('\n'),
          ),
        )
        return at + 1
      }
      if (line.trim() === '' || (depth < maxDepth && startsBlock(line)) || this.#isTable(lines, at)) break
    }
    out.push(
      `<p>${this.#inline(
        lines
          .slice(from, at)
          .map((it) => it.trimStart())
          .join('\n'),
      )}</p>`,
    )
    return at
  }
}

/** Returns whether a line ends the paragraph before it. */
function startsBlock(line: string): boolean {
  const [, , marker = ''] = itemPattern.exec(line) ?? []
  const isItem =
    marker !== '' && (!/\d/.test(marker) || marker.startsWith('1')) && /\S/.test(line.slice(marker.length + 1))
  return (
    isItem || fencePattern.test(line) || headingPattern.test(line) || rulePattern.test(line) || /^ {0,3}>/.test(line)
  )
}

function nextBlank(lines: readonly string[], from: number): number {
  let at = from + 1
  while (at < lines.length && lines[at]?.trim() !== '') at++
  return at
}

/** Returns the cells of a row of a table. */
const splitCells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
