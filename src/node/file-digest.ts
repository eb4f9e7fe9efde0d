import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/**
 * Returns the SHA-256 of a file, or of its first bytes, as hexadecimal digits. Copies of databases (file-checksum.ts) and the
 * manifests of downloaded recordings (manifest.ts) have it: it never changes.
 */
export async function fileDigest(file: string, length = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file, { end: length - 1 })) hash.update(part as Buffer)
  return hash.digest('hex')
}
