import { closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { fileDigest } from './file-digest.ts'

// A copy of a SQLite file ends with its SHA-256 after the last page, where SQLite does not read. The copy is still a SQLite file.

/** Existing copies end with it: it never changes. */
const label = '\nparley copy sha256 '
const footerLength = label.length + 64 + 1

/** Appends the checksum of a copy. */
export async function appendChecksum(file: string): Promise<void> {
  await appendFile(file, `${label}${await fileDigest(file)}\n`)
}

/**
 * Compares a copy with its checksum. `missing` for a copy of an earlier version, `wrong` for one that was changed or cut off.
 */
export async function compareChecksum(file: string): Promise<'same' | 'missing' | 'wrong'> {
  const { footer, length, isWholePages } = readFooter(file)
  if (footer.startsWith(label)) return footer === `${label}${await fileDigest(file, length)}\n` ? 'same' : 'wrong'
  return isWholePages ? 'missing' : 'wrong'
}

/** Removes the checksum of a copy that is going to be changed. */
export function removeChecksum(file: string): void {
  const { footer, length } = readFooter(file)
  if (footer.startsWith(label)) truncateSync(file, length)
}

function readFooter(file: string): {
  readonly footer: string
  readonly length: number
  readonly isWholePages: boolean
} {
  const opened = openSync(file, 'r')
  try {
    const { size } = fstatSync(opened)
    const length = Math.max(0, size - footerLength)
    const [header, footer] = [Buffer.alloc(100), Buffer.alloc(Math.min(footerLength, size))]
    readSync(opened, header, 0, header.length, 0)
    readSync(opened, footer, 0, footer.length, length)
    // The page size of 65 536 is stored as 1.
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    const pages = header.readUInt32BE(28)
    return { footer: footer.toString('latin1'), length, isWholePages: size === pageSize * pages }
  } finally {
    closeSync(opened)
  }
}
