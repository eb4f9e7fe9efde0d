import type { WebPage } from '../../providers/ports/website-reader.ts'
import { extractText } from './extract-text.ts'

/** The source of an uploaded document, with its text until the document has been processed. */
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

/** Returns the outcome of processing an uploaded document. */
export const uploadedOutcome = ({ pages }: UploadedSource) =>
  pages ? ({ ok: true, pages } as const) : ({ ok: false, reason: 'No text could be read from the file.' } as const)
