import { stringifyJson } from '../../../node/json.ts'
import { StepFailure } from '../step-failure.ts'
import { type HtmlToken, hiddenElements, type OpenTag, tokenizeHtml } from './html-tokens.ts'

/** Part of a selector without combinators: `a.button[href]`. */
interface Compound {
  readonly tag: string | undefined
  readonly id: string | undefined
  readonly classes: readonly string[]
  readonly attributes: readonly { readonly name: string; readonly operator: string; readonly value: string }[]
  /** Whether the element before it must be the parent. */
  readonly isChild: boolean
}

/** Element that matches a selector. */
export interface SelectedElement {
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
  readonly innerHtml: string
  readonly outerHtml: string
}

/** Elements deeper than this are not read, so that the time stays proportional to the length. */
const maxDepth = 100

const siblings: ReadonlySet<string> = new Set('p li dt dd tr td th option'.split(' '))

/**
 * Returns the elements that match a CSS selector, in their order. Supported are tags, `*`, `#id`, `.class`, `[attribute]`
 * with the operators `=`, `~=`, `^=`, `$=` and `*=`, descendants, `>`, and lists with commas.
 * @throws StepFailure for other selectors
 */
export function selectHtml(html: string, selector: string, limit: number): SelectedElement[] {
  const alternatives = splitSelector(selector).map(parseSelector)
  const tokens = tokenizeHtml(html)
  const found: { readonly at: number; readonly order: number; readonly element: SelectedElement }[] = []
  const open: { readonly token: OpenTag; readonly at: number; readonly isMatch: boolean }[] = []
  let hidden: string | undefined
  const close = (end: number, closing: HtmlToken | undefined): void => {
    const it = open.pop()
    if (!it?.isMatch) return
    const until = closing && closing.kind !== 'text' ? closing : undefined
    const isOwn = until?.kind === 'close' && until.tag === it.token.tag
    found.push({
      at: it.at,
      order: it.at,
      element: toElement(html, tokens, it, end, until?.start, isOwn ? until.end : until?.start),
    })
  }
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'text') continue
    if (hidden !== undefined) {
      if (token.kind !== 'close' || token.tag !== hidden) continue
      hidden = undefined
    }
    if (token.kind === 'open') {
      if (open.at(-1)?.token.tag === token.tag && siblings.has(token.tag)) close(at, token)
      if (open.length >= maxDepth) continue
      const isMatch = alternatives.some((it) => matches(it, [...open.map(({ token: outer }) => outer), token]))
      open.push({ token, at, isMatch })
      if (token.isEmpty) close(at + 1, undefined)
      else if (hiddenElements.has(token.tag) && /^(?:script|style|template)$/.test(token.tag)) hidden = token.tag
    } else {
      const index = open.findLastIndex((it) => it.token.tag === token.tag)
      while (index >= 0 && open.length > index) close(at, token)
    }
  }
  while (open.length > 0) close(tokens.length, undefined)
  return found
    .sort((a, b) => a.order - b.order)
    .slice(0, limit)
    .map((it) => it.element)
}

function toElement(
  html: string,
  tokens: readonly HtmlToken[],
  { token, at }: { readonly token: OpenTag; readonly at: number },
  until: number,
  innerEnd = token.isEmpty ? token.end : html.length,
  outerEnd = token.isEmpty ? token.end : html.length,
): SelectedElement {
  const parts: string[] = []
  for (let index = at + 1; index < until; index++) {
    const it = tokens[index]
    if (it?.kind === 'text') parts.push(it.text)
  }
  return {
    attributes: token.attributes,
    text: parts.join('').trim(),
    innerHtml: html.slice(token.end, innerEnd),
    outerHtml: html.slice(token.start, outerEnd),
  }
}

const invalid = (selector: string): StepFailure =>
  new StepFailure(
    `selector ${stringifyJson(selector)} is not supported. Use tags, #id, .class, [attribute], [attribute="value"], descendants, > and commas.`,
  )

/** Splits at commas outside brackets. */
const splitSelector = (selector: string): string[] => selector.match(/(?:\[[^\]]*\]|[^,[])+/g) ?? ['']

function parseSelector(selector: string): Compound[] {
  const compounds: Compound[] = []
  let rest = selector.trim()
  let isChild = false
  while (rest !== '') {
    const [whole = '', tag = '', filters = ''] = /^(\*|[a-zA-Z][\w-]*)?((?:[.#][\w-]+|\[[^\]]+\])*)/.exec(rest) ?? []
    if (whole === '') throw invalid(selector)
    compounds.push({
      ...parseFilters(selector, filters),
      tag: tag === '' || tag === '*' ? undefined : tag.toLowerCase(),
      isChild,
    })
    const after = rest.slice(whole.length)
    const [combinator] = /^(?:\s*>\s*|\s+)/.exec(after) ?? []
    rest = after.slice(combinator?.length ?? 0)
    if (combinator === undefined ? rest !== '' : rest === '') throw invalid(selector)
    isChild = combinator?.includes('>') === true
  }
  if (compounds.length === 0) throw invalid(selector)
  return compounds
}

function parseFilters(selector: string, filters: string): Pick<Compound, 'id' | 'classes' | 'attributes'> {
  const parts = filters.match(/[.#][\w-]+|\[[^\]]+\]/g) ?? []
  return {
    id: parts.find((it) => it.startsWith('#'))?.slice(1),
    classes: parts.filter((it) => it.startsWith('.')).map((it) => it.slice(1)),
    attributes: parts
      .filter((it) => it.startsWith('['))
      .map((it) => {
        const found = /^\[\s*([\w:-]+)\s*(?:([~^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))\s*)?\]$/.exec(it)
        if (!found) throw invalid(selector)
        const [, name = '', operator = '', double, single, bare] = found
        return { name: name.toLowerCase(), operator, value: double ?? single ?? bare ?? '' }
      }),
  }
}

/** Returns whether the last of nested elements matches a selector. */
function matches(compounds: readonly Compound[], path: readonly OpenTag[]): boolean {
  const last = compounds.at(-1)
  const element = path.at(-1)
  if (!last) return true
  if (!element || !matchesCompound(last, element)) return false
  const [rest, outer] = [compounds.slice(0, -1), path.slice(0, -1)]
  if (rest.length === 0) return true
  if (last.isChild) return matches(rest, outer)
  return outer.some((_, at) => matches(rest, outer.slice(0, at + 1)))
}

const matchesCompound = ({ tag, id, classes, attributes }: Compound, element: OpenTag): boolean =>
  (tag === undefined || element.tag === tag) &&
  (id === undefined || element.attributes.get('id') === id) &&
  classes.every((it) => wordsOf(element.attributes.get('class')).includes(it)) &&
  attributes.every(({ name, operator, value }) => {
    const given = element.attributes.get(name)
    if (given === undefined) return false
    if (operator === '=') return given === value
    if (operator === '~=') return wordsOf(given).includes(value)
    if (operator === '^=') return value !== '' && given.startsWith(value)
    if (operator === '$=') return value !== '' && given.endsWith(value)
    return operator === '' || (value !== '' && given.includes(value))
  })

const wordsOf = (text = ''): string[] => text.split(/\s+/)
