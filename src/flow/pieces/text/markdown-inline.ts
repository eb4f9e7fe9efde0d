import { escapeHtml } from './escape-html.ts'

/** Settings of inline Markdown. */
export interface InlineOptions {
  /** Whether each line break becomes `<br />`. Otherwise it needs two spaces or a backslash before it. */
  readonly lineBreaks: boolean
  /** Whether links open in a new window. */
  readonly newWindow: boolean
  /** Whether `~~x~~` is crossed out, and addresses become links. */
  readonly isExtended: boolean
  /** Targets of `[text][id]`, by id in lower case. */
  readonly references: ReadonlyMap<string, LinkTarget>
}

export interface LinkTarget {
  readonly url: string
  readonly title: string | undefined
}

/** Run of `*`, `_` or `~` that may open or close emphasis. */
interface Delimiter {
  readonly mark: string
  /** Position in the output. */
  readonly at: number
  count: number
  readonly canOpen: boolean
  readonly canClose: boolean
  /** Tags that it closes and opens. What is left of the run is between them. */
  closed: string
  opened: string
  isUsable: boolean
}

/** Longest URL and title of a link, so that unclosed links do not make the time quadratic. */
const [maxUrlLength, maxTitleLength] = [2000, 500]

const punctuation = /[!-/:-@[-`{-~]/
const tagPattern = /<(?:[a-zA-Z][\w-]*(?:\s[^<>]{0,2000})?\/?|\/[a-zA-Z][\w-]*\s*|!--[^>]{0,2000}--)>/y
const autolinkPattern = /<((?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]{1,2000})|[\w.+-]{1,64}@[\w.-]{1,255})>/iy
const addressPattern = /https?:\/\/[^\s<>]{1,2000}/y
const entityPattern = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Converts inline Markdown to HTML. */
export function renderInline(text: string, options: InlineOptions): string {
  const out: string[] = []
  const delimiters: Delimiter[] = []
  const closing = matchBrackets(text)
  let at = 0
  const put = (html: string, length: number): void => {
    out.push(html)
    at += length
  }
  while (at < text.length) {
    const char = text[at] as string
    const next = text[at + 1] ?? ''
    if (char === '\\' && next === '\n') put('<br />\n', 2)
    else if (char === '\\' && punctuation.test(next)) put(escapeHtml(next), 2)
    else if (char === '`') readCode()
    else if (char === '\n') {
      const isHard = options.lineBreaks || out.at(-1) === ' ' || /\s$/.test(out.at(-1) ?? '')
      while (out.length > 0 && /^ +$/.test(out.at(-1) as string)) out.pop()
      put(isHard ? '<br />\n' : '\n', 1)
    } else if (char === ' ') {
      const length = (matchAt(/ +/y, text, at) as RegExpExecArray)[0].length
      const isBreak = text[at + length] === '\n'
      if (!isBreak) put(' '.repeat(length), length)
      else put(length > 1 ? ' ' : '', length)
    } else if (char === '<') readTag()
    else if (char === '&')
      put(matchAt(entityPattern, text, at)?.[0] ?? '&amp;', matchAt(entityPattern, text, at)?.[0].length ?? 1)
    else if ((char === '[' || (char === '!' && next === '[')) && readLink()) continue
    else if (char === '*' || char === '_' || (char === '~' && options.isExtended)) readDelimiter(char)
    else if (options.isExtended && char === 'h' && !/\w/.test(text[at - 1] ?? '') && readAddress()) continue
    else {
      const plain = matchAt(/[^\\`\n <&[!*_~h]+/y, text, at)?.[0] ?? char
      put(escapeHtml(plain), plain.length)
    }
  }
  emphasize(out, delimiters)
  return out.join('')

  function readCode(): void {
    const fence = (matchAt(/`+/y, text, at) as RegExpExecArray)[0]
    const end = findFence(text, at + fence.length, fence.length)
    if (end < 0) return put(fence, fence.length)
    const code = text.slice(at + fence.length, end).replaceAll('\n', ' ')
    const trimmed = /^ .*[^ ].* $|^ [^ ] $/.test(code) ? code.slice(1, -1) : code
    put(`<code>${escapeHtml(trimmed)}</code>`, end + fence.length - at)
  }

  function readTag(): void {
    const link = matchAt(autolinkPattern, text, at)
    const tag = link ? null : matchAt(tagPattern, text, at)
    if (tag) put(tag[0], tag[0].length)
    else if (!link) put('&lt;', 1)
    else {
      const [whole, target = ''] = link
      const url = target.includes(':') ? target : `mailto:${target}`
      put(formatLink({ url, title: undefined }, escapeHtml(target), options), whole.length)
    }
  }

  function readAddress(): boolean {
    const found = matchAt(addressPattern, text, at)?.[0].replace(/[.,:;!?'")\]*_~]+$/, '')
    if (found === undefined || found.length < 9) return false
    put(formatLink({ url: found, title: undefined }, escapeHtml(found), options), found.length)
    return true
  }

  function readLink(): boolean {
    const isImage = text[at] === '!'
    const start = at + (isImage ? 2 : 1)
    const end = closing.get(start - 1)
    if (end === undefined) return false
    const label = text.slice(start, end)
    const target = readTarget(text, end + 1, label, options.references)
    if (!target) return false
    if (isImage) {
      const alt = escapeHtml(label.replace(/[*_`[\]]/g, ''))
      put(`<img src="${escapeHtml(target.url)}" alt="${alt}"${formatTitle(target)} />`, target.end - at)
    } else put(formatLink(target, renderInline(label, { ...options, isExtended: false }), options), target.end - at)
    return true
  }

  function readDelimiter(mark: string): void {
    let count = 1
    while (text[at + count] === mark) count++
    const [before, after] = [text[at - 1] ?? ' ', text[at + count] ?? ' ']
    const isLeft = !/\s/.test(after) && (!punctuation.test(after) || /\s/.test(before) || punctuation.test(before))
    const isRight = !/\s/.test(before) && (!punctuation.test(before) || /\s/.test(after) || punctuation.test(after))
    const isWord = mark === '_' && isLeft && isRight
    delimiters.push({
      mark,
      at: out.length,
      count,
      canOpen: isLeft && (!isWord || punctuation.test(before)),
      canClose: isRight && (!isWord || punctuation.test(after)),
      closed: '',
      opened: '',
      isUsable: true,
    })
    put(mark.repeat(count), count)
  }
}

/** Returns the position of the closing bracket of each opening one. */
function matchBrackets(text: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') open.push(at)
    else if (text[at] === ']') {
      const start = open.pop()
      // Labels inside labels are read again for each level.
      if (start !== undefined && open.length < 10) found.set(start, at)
    }
  }
  return found
}

/** Returns the position of the next run of exactly `length` backticks, or -1. */
function findFence(text: string, from: number, length: number): number {
  const fence = '`'.repeat(length)
  for (let at = text.indexOf(fence, from); at >= 0; at = text.indexOf(fence, at)) {
    let end = at + length
    while (text[end] === '`') end++
    if (end - at === length) return at
    at = end
  }
  return -1
}

/** Reads `(url "title")` or `[id]` after a label. */
function readTarget(
  text: string,
  at: number,
  label: string,
  references: InlineOptions['references'],
): (LinkTarget & { readonly end: number }) | undefined {
  const rest = text.slice(at, at + maxUrlLength + maxTitleLength)
  const inline = /^\(\s*(?:<([^<>\n]*)>|((?:\\.|\([^\s()]*\)|[^\s()\\])*))(?:\s+(?:"([^"]*)"|'([^']*)'))?\s*\)/.exec(
    rest,
  )
  if (inline) {
    const [whole, bracketed, bare = '', double, single] = inline
    return {
      url: (bracketed ?? bare).replace(/\\([!-/:-@[-`{-~])/g, '$1'),
      title: double ?? single,
      end: at + whole.length,
    }
  }
  const [whole = '', id = ''] = /^\[([^\]\n]*)\]/.exec(rest) ?? []
  const target = references.get((id === '' ? label : id).toLowerCase())
  return target && { ...target, end: at + whole.length }
}

const formatTitle = ({ title }: LinkTarget): string => (title === undefined ? '' : ` title="${escapeHtml(title)}"`)

const formatLink = (target: LinkTarget, html: string, { newWindow }: InlineOptions): string =>
  `<a href="${escapeHtml(target.url)}"${formatTitle(target)}${newWindow ? ' rel="noopener noreferrer" target="_blank"' : ''}>${html}</a>`

/** Replaces matching runs of delimiters in the output with tags. */
function emphasize(out: string[], delimiters: Delimiter[]): void {
  /** For each kind of closing run, the position below which no opening run was found. */
  const floors = new Map<string, number>()
  for (let closer = 0; closer < delimiters.length; closer++) {
    const close = delimiters[closer] as Delimiter
    while (close.canClose && close.count > 0) {
      const kind = `${close.mark}${close.canOpen}${close.count % 3}`
      let opener = closer - 1
      const floor = floors.get(kind) ?? -1
      while (opener > floor && !canMatch(delimiters[opener] as Delimiter, close)) opener--
      if (opener <= floor) {
        floors.set(kind, closer - 1)
        break
      }
      const open = delimiters[opener] as Delimiter
      const size = close.mark === '~' ? Math.min(open.count, close.count) : open.count > 1 && close.count > 1 ? 2 : 1
      const tag = close.mark === '~' ? 'del' : size === 2 ? 'strong' : 'em'
      open.count -= size
      close.count -= size
      open.opened = `<${tag}>${open.opened}`
      close.closed += `</${tag}>`
      for (let it = opener + 1; it < closer; it++) (delimiters[it] as Delimiter).isUsable = false
    }
  }
  for (const { at, mark, count, closed, opened } of delimiters) out[at] = closed + mark.repeat(count) + opened
}

const canMatch = (open: Delimiter, close: Delimiter): boolean =>
  open.mark === close.mark &&
  open.isUsable &&
  open.canOpen &&
  open.count > 0 &&
  (open.mark !== '~' || (open.count === close.count && open.count <= 2)) &&
  (!(open.canClose || close.canOpen) || (open.count + close.count) % 3 !== 0 || open.count % 3 === 0)
