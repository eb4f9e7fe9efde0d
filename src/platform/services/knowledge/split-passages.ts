import type { WebPage } from '../../../engine/ports.ts'
import type { KnowledgeDocumentRow } from '../../store/knowledge/documents.ts'

/**
 * Maximum and intended characters of a passage: a few sentences, so that a passage contains the answer and little else.
 */
const maxLength = 900
const targetLength = 500

/**
 * Returns text in the form that searches compare: without case and accents. Stored passages have it in `folded`: with another form,
 * searches would not find what was stored before.
 */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** Splits a text into passages that end at a paragraph, a line, a sentence, or at least a word. */
function splitText(text: string): string[] {
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

/** Returns where to cut: after the last line, sentence or word in the second half of the text. */
function findCutPoint(text: string): number {
  for (const sign of ['\n', '. ', '? ', '! ', '。', ' ']) {
    const at = text.lastIndexOf(sign)
    if (at > text.length / 2) return at + sign.length
  }
  // Do not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}

/** Returns the rows of a document's passages. */
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
    .map((passage, position) => ({
      ...passage,
      account_id: document.account_id,
      knowledge_base_id: document.knowledge_base_id,
      document_id: document.id,
      position,
    }))
