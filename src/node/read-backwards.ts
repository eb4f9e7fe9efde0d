import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes that are read at once. */
const pieceBytes = 256 * 1024

/**
 * Returns a text file in pieces of whole lines, the last piece first, each byte as one character (latin1), because such
 * texts are searched several times as fast as decoded ones. A missing or unreadable file has none. The reader, request-log.ts,
 * decodes the lines that it keeps.
 */
export function* readPiecesBackwards(file: string): Generator<string> {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return
  }
  try {
    let rest = Buffer.alloc(0)
    for (let end = fstatSync(descriptor).size; end > 0; ) {
      const start = Math.max(0, end - pieceBytes)
      const bytes = Buffer.allocUnsafe(end - start)
      const read = readSync(descriptor, bytes, 0, bytes.length, start)
      const piece = Buffer.concat([bytes.subarray(0, read), rest])
      end = start
      // The first line of a piece begins in the piece before it.
      const cut = start === 0 ? 0 : piece.indexOf(10) + 1
      if (start > 0 && (cut === 0 || cut === piece.length)) {
        rest = piece
        continue
      }
      rest = Buffer.from(piece.subarray(0, cut))
      yield piece.toString('latin1', cut)
    }
  } finally {
    closeSync(descriptor)
  }
}
