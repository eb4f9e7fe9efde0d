import { blockElements, hiddenElements, tokenizeHtml } from './html-tokens.ts'

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
