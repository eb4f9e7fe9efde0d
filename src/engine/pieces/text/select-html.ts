import { compile, selectAll } from 'css-select'
import { parse } from 'css-what'
import { type AnyNode, Document, Element } from 'domhandler'
import { appendChild } from 'domutils'
import { stringifyJson } from '../../../node/json.ts'
import { StepFailure } from '../step-failure.ts'
import { type OpenTag, tokenizeHtml } from './html-tokens.ts'

/** Element with its place in the HTML, and in the text without tags. */
class PlacedElement extends Element {
  readonly openTag: OpenTag
  readonly textStart: number
  /** Position after its content, and the one after its end tag. */
  innerEnd = Number.POSITIVE_INFINITY
  outerEnd = Number.POSITIVE_INFINITY
  textEnd = Number.POSITIVE_INFINITY

  constructor(openTag: OpenTag, textStart: number) {
    super(openTag.tag, Object.fromEntries(openTag.attributes))
    this.openTag = openTag
    this.textStart = textStart
  }

  endAt(innerEnd: number, outerEnd: number, textEnd: number): void {
    this.innerEnd = innerEnd
    this.outerEnd = outerEnd
    this.textEnd = textEnd
  }
}

/** Element that matches a selector. */
interface SelectedElement {
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
  readonly innerHtml: string
  readonly outerHtml: string
}

/** Elements deeper than this are not read, so that the time stays proportional to the length. */
const maxDepth = 100

const siblings: ReadonlySet<string> = new Set('p li dt dd tr td th option'.split(' '))
/** Elements that contain text only. */
const textElements: ReadonlySet<string> = new Set(['script', 'style', 'template'])

/**
 * Returns the elements that match a CSS selector, in their order. Supported are tags, `*`, `#id`, `.class`, `[attribute]`
 * with its operators, descendants, `>`, and lists with commas.
 * @throws StepFailure for other selectors
 */
export function selectHtml(html: string, selector: string, limit: number): SelectedElement[] {
  const query = compileSelector(selector)
  const { root, text } = readElements(html)
  return selectAll<AnyNode, Element>(query, root)
    .slice(0, limit)
    .filter((it) => it instanceof PlacedElement)
    .map((element) => ({
      attributes: element.openTag.attributes,
      text: text.slice(element.textStart, element.textEnd).trim(),
      innerHtml: html.slice(element.openTag.end, element.innerEnd),
      outerHtml: html.slice(element.openTag.start, element.outerEnd),
    }))
}

/** Reads HTML, whatever is wrong with it. Returns its elements as a tree, and its text. */
function readElements(html: string): { readonly root: Document; readonly text: string } {
  const root = new Document([])
  const open: PlacedElement[] = []
  let text = ''
  let hidden: string | undefined
  for (const token of tokenizeHtml(html)) {
    if (token.kind === 'text') {
      text += token.text
      continue
    }
    if (hidden !== undefined) {
      if (token.kind !== 'close' || token.tag !== hidden) continue
      hidden = undefined
    }
    if (token.kind === 'open') {
      if (open.at(-1)?.name === token.tag && siblings.has(token.tag))
        open.pop()?.endAt(token.start, token.start, text.length)
      if (open.length >= maxDepth) continue
      const element = new PlacedElement(token, text.length)
      appendChild(open.at(-1) ?? root, element)
      if (token.isEmpty) element.endAt(token.end, token.end, text.length)
      else open.push(element)
      if (textElements.has(token.tag)) hidden = token.tag
    } else {
      const index = open.findLastIndex((it) => it.name === token.tag)
      while (index >= 0 && open.length > index)
        open.pop()?.endAt(token.start, open.length === index ? token.end : token.start, text.length)
    }
  }
  return { root, text }
}

const simpleParts: ReadonlySet<string> = new Set(['attribute', 'tag', 'universal'])
const combinators: ReadonlySet<string> = new Set(['child', 'descendant'])

/** @throws StepFailure for a selector that is not supported */
function compileSelector(selector: string): ReturnType<typeof compile<AnyNode, Element>> {
  try {
    const alternatives = parse(selector)
    const isSupported = alternatives.every(
      (parts) =>
        parts.length > 0 &&
        parts.every(({ type }, at) => simpleParts.has(type) || (combinators.has(type) && at < parts.length - 1)),
    )
    if (isSupported) return compile<AnyNode, Element>(alternatives, { relativeSelector: false })
  } catch {
    // The message below is clearer.
  }
  throw new StepFailure(
    `selector ${stringifyJson(selector)} is not supported. Use tags, #id, .class, [attribute], [attribute="value"], descendants, > and commas.`,
  )
}
