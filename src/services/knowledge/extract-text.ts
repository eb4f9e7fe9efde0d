import { inflateRawSync, inflateSync } from 'node:zlib'
import { decodeText } from '../../node/decode-text.ts'
import { readPdf } from './read-pdf.ts'

/** Maximum size of decompressed text in bytes. Compressed files may be much larger than their size suggests. */
export const maxTextBytes = 64 * 1024 * 1024

/** Returns the text of an uploaded file; undefined if it has none that can be read. */
export function extractText(type: 'txt' | 'docx' | 'pdf' | 'website', bytes: Buffer): string | undefined {
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
