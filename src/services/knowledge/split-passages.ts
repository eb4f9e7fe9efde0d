import type { WebPage } from '../../providers/ports/providers.ts'
import type { KnowledgeDocumentRow } from '../../store/knowledge/documents.ts'

/** Characters of a passage: a few sentences, so that what is quoted answers and little else. */
const maxLength = 900
const targetLength = 500

/** As searches compare: without case and accents. */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** A text in pieces that end where a paragraph, a line, a sentence or at least a word does. */
export function splitText(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const paragraph of text.split(/\n{2,}/).flatMap(splitParagraph)) {
    if (
      piece !== '' &&
      piece.length + paragraph.length + 2 > (piece.length < targetLength ? maxLength : targetLength)
    ) {
      pieces.push(piece)
      piece = ''
    }
    piece = piece === '' ? paragraph : `${piece}\n\n${paragraph}`
  }
  return [...pieces, piece].map((it) => it.trim()).filter((it) => it !== '')
}

function splitParagraph(paragraph: string): string[] {
  const parts: string[] = []
  let rest = paragraph.trim()
  while (rest.length > maxLength) {
    const end = findCutPoint(rest.slice(0, maxLength))
    parts.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return [...parts, rest]
}

/** Where to cut: behind the last line, sentence or word of the second half. */
function findCutPoint(text: string): number {
  for (const sign of ['\n', '. ', '? ', '! ', '。', ' ']) {
    const at = text.lastIndexOf(sign)
    if (at > text.length / 2) return at + sign.length
  }
  // Not within a sign of two halves.
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}

/** The passages of a document as they are kept. */
export const splitDocument = (
  document: Pick<KnowledgeDocumentRow, 'id' | 'account_id' | 'knowledge_base_id'>,
  pages: readonly WebPage[],
) =>
  pages
    .flatMap(({ address, title, text }) =>
      splitText(text).map((piece) => ({
        address,
        title,
        text: piece,
        folded: normalizeText(`${title ?? ''}\n${piece}`),
      })),
    )
    .map((it, position) => ({
      ...it,
      account_id: document.account_id,
      knowledge_base_id: document.knowledge_base_id,
      document_id: document.id,
      position,
    }))
