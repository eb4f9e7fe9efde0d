// Reads the text of uploaded files: PDF, Word and plain text. The text of a document is read once, when it is uploaded: a change
// applies to later uploads only.

import { inflateRawSync, inflateSync } from 'node:zlib'
import type { WebPage } from '../../../engine/ports.ts'
import { decodeText } from '../../../node/decode-text.ts'

/** Returns the text of a PDF file, page after page: texts in standard encodings, not those of embedded subsets. */
function readPdf(bytes: Buffer, inflate: (bytes: Buffer) => Buffer): string | undefined {
  const file = bytes.toString('latin1')
  if (!file.startsWith('%PDF-')) return undefined
  const texts: string[] = []
  for (const match of file.matchAll(/<<((?:(?!stream\r?\n|endobj)[\s\S])*)>>\s*stream\r?\n/g)) {
    const [all, dictionary = ''] = match
    if (/\/Subtype\s*\/(?:Image|Type1C|OpenType)|\/FontFile|\/Length1\b|\/Type\s*\/(?:XRef|ObjStm)/.test(dictionary))
      continue
    const start = match.index + all.length
    const end = file.indexOf('endstream', start)
    if (end < 0) continue
    const content = readStream(bytes.subarray(start, end), dictionary, inflate)
    if (content !== undefined && /\bBT\b/.test(content)) texts.push(textOf(content))
  }
  return texts.filter((it) => it !== '').join('\n\n')
}

function readStream(bytes: Buffer, dictionary: string, inflate: (bytes: Buffer) => Buffer): string | undefined {
  if (!/\/Filter/.test(dictionary)) return bytes.toString('latin1')
  if (!/\/Filter\s*\[?\s*\/FlateDecode\s*\]?/.test(dictionary)) return undefined
  try {
    return inflate(bytes).toString('latin1')
  } catch {
    return undefined
  }
}

/** Tokens of a content stream that `textOf` uses: strings, operators that place or show text, and numbers, which may be gaps. */
const operator =
  /\((?:[^()\\]|\\[\s\S]|\((?:[^()\\]|\\[\s\S])*\))*\)|<[\da-fA-F\s]*>|(?<=[\s\])>])(?:Td|TD|T\*|Tj|TJ|Tm|'|"|BT|ET)(?=[\s[(<]|$)|-?\d+(?:\.\d+)?(?=[\s\]])/g

/** Returns the texts that a content stream shows. A new position is a new line; a wide gap is a space. */
function textOf(content: string): string {
  let text = ''
  for (const [token] of content.matchAll(operator)) {
    if (token.startsWith('(')) text += literal(token.slice(1, -1))
    else if (token.startsWith('<')) text += Buffer.from(token.replace(/[<>\s]/g, ''), 'hex').toString('latin1')
    else if (/^-\d/.test(token)) text += Number(token) < -200 && !/\s$/.test(text) ? ' ' : ''
    else if (/^(?:Td|TD|T\*|Tm|'|"|ET)$/.test(token) && !/(?:^|\n)$/.test(text)) text += '\n'
  }
  return text.trim()
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t', b: '', f: '' }

const literal = (text: string): string =>
  text.replace(/\\([0-7]{1,3}|\r?\n|[\s\S])/g, (_, code: string) =>
    /^[0-7]/.test(code)
      ? String.fromCharCode(Number.parseInt(code, 8))
      : /^\r?\n$/.test(code)
        ? ''
        : (escapes[code] ?? code),
  )

/** Maximum size of decompressed text in bytes. Compressed files may be much larger than their size suggests. */
const maxTextBytes = 64 * 1024 * 1024

/** Returns the text of an uploaded file; undefined if it has none that can be read. */
function extractText(type: 'txt' | 'docx' | 'pdf' | 'website', bytes: Buffer): string | undefined {
  try {
    const text = type === 'docx' ? readDocx(bytes) : type === 'pdf' ? readPdf(bytes, inflate) : readPlain(bytes)
    return text?.trim() === '' ? undefined : text
  } catch {
    // A damaged file.
    return undefined
  }
}

const inflate = (bytes: Buffer): Buffer => inflateSync(bytes, { maxOutputLength: maxTextBytes })

function readPlain(bytes: Buffer): string | undefined {
  const text = decodeText(bytes)
  return text.includes('\0') ? undefined : text.replaceAll('\r\n', '\n')
}

/** Returns the paragraphs of a Word document: the texts of `word/document.xml` in its ZIP archive. */
function readDocx(bytes: Buffer): string | undefined {
  const xml = readZipEntry(bytes, 'word/document.xml')?.toString('utf8')
  return xml
    ?.replace(/<w:(?:br|cr)\b[^>]*>/g, '\n')
    .replace(/<w:tab\b[^>]*>/g, '\t')
    .replace(/<\/w:p>/g, '\n\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|apos|amp|#\d+|#x[\da-f]+);/gi, (_, name: string) => entity(name))
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const entity = (name: string): string =>
  entities[name] ?? String.fromCodePoint(Number(name.startsWith('#x') ? `0${name.slice(1)}` : name.slice(1)))

const endOfDirectory = Buffer.from('PK\x05\x06', 'latin1')

/** Returns an entry of a ZIP archive; undefined if it has none of this name. */
function readZipEntry(bytes: Buffer, name: string): Buffer | undefined {
  const end = bytes.lastIndexOf(endOfDirectory)
  if (end < 0) return undefined
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = bytes.readUInt16LE(at + 28)
    if (bytes.subarray(at + 46, at + 46 + nameLength).toString('utf8') === name) {
      const header = bytes.readUInt32LE(at + 42)
      const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28)
      const data = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
      return bytes.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data, { maxOutputLength: maxTextBytes })
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return undefined
}

/**
 * The source of an uploaded document, with its text until the document has been processed. The column `source` of a document has it
 * as JSON, and its `file` tells it from the source of a website: the names never change.
 */
export interface UploadedSource {
  /** Name of the file. */
  readonly file: string
  readonly pages?: readonly WebPage[]
}

/** Returns the source of an uploaded file, with its text if there is some. */
export async function readUploadedDocument(
  type: Parameters<typeof extractText>[0],
  file: File,
): Promise<UploadedSource> {
  const text = extractText(type, Buffer.from(await file.arrayBuffer()))
  return { file: file.name, ...(text !== undefined && { pages: [{ address: file.name, title: file.name, text }] }) }
}

/** Returns the outcome of processing an uploaded document. The reason is stored, and clients read it as `error` of the document. */
export const uploadedOutcome = ({ pages }: UploadedSource) =>
  pages ? ({ ok: true, pages } as const) : ({ ok: false, reason: 'No text could be read from the file.' } as const)
