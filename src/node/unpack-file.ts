import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { renameFile } from './operating-system.ts'

/**
 * Makes sure that a file has this content. One that is missing, incomplete or damaged is written next to it and moved into
 * place, so that several processes may do so at once. libsql-driver.ts loads such a file as code, so its content is compared
 * each time.
 * @throws Error whose message is the reason, as a phrase
 */
export function unpackFile(file: string, content: Uint8Array): void {
  if (hasContent(file, content)) return
  const folder = dirname(file)
  makeFolder(folder)
  let draft: string | undefined
  try {
    draft = mkdtempSync(`${file}.`)
    const written = join(draft, 'file')
    writeFileSync(written, content, { mode: 0o600 })
    renameFile(written, file)
  } catch (error) {
    throw new Error(reasonOf(error as NodeJS.ErrnoException, folder), { cause: error })
  } finally {
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
  }
}

function hasContent(file: string, content: Uint8Array): boolean {
  try {
    return readFileSync(file).equals(content)
  } catch {
    return false
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException, folder: string): string {
  if (code === 'EACCES' || code === 'EPERM') return `you do not have write permission in ${folder}`
  if (code === 'EROFS') return `${folder} is read-only`
  return code === 'ENOSPC' ? `there is no space left on the disk of ${folder}` : message
}
