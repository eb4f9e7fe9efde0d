import type { KnowledgeDocumentRow } from '../store/knowledge.ts'
import type { ReadPage } from './ports.ts'

/** Characters of a passage: a few sentences, so that what is quoted answers and little else. */
const longest = 900
const wanted = 500

/** As searches compare: without case and accents. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** A text in pieces that end where a paragraph, a line, a sentence or at least a word does. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const paragraph of text.split(/\n{2,}/).flatMap(shortened)) {
    if (piece !== '' && piece.length + paragraph.length + 2 > (piece.length < wanted ? longest : wanted)) {
      pieces.push(piece)
      piece = ''
    }
    piece = piece === '' ? paragraph : `${piece}\n\n${paragraph}`
  }
  return [...pieces, piece].map((it) => it.trim()).filter((it) => it !== '')
}

function shortened(paragraph: string): string[] {
  const parts: string[] = []
  let rest = paragraph.trim()
  while (rest.length > longest) {
    const end = endIn(rest.slice(0, longest))
    parts.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return [...parts, rest]
}

/** Where to cut: behind the last line, sentence or word of the second half. */
function endIn(text: string): number {
  for (const sign of ['\n', '. ', '? ', '! ', '。', ' ']) {
    const at = text.lastIndexOf(sign)
    if (at > text.length / 2) return at + sign.length
  }
  // Not within a sign of two halves.
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}

/** The passages of a document as they are kept. */
export const passagesOf = (document: Pick<KnowledgeDocumentRow, 'id' | 'account_id' | 'knowledge_base_id'>, pages: readonly ReadPage[]) =>
  pages
    .flatMap(({ address, title, text }) => piecesOf(text).map((piece) => ({ address, title, text: piece, folded: fold(`${title ?? ''}\n${piece}`) })))
    .map((it, position) => ({
      ...it,
      account_id: document.account_id,
      knowledge_base_id: document.knowledge_base_id,
      document_id: document.id,
      position,
    }))
