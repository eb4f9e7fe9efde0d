import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFile } from '../../node/replace-file.ts'
import { TransferRefused } from './transfer-refused.ts'

/** Files that rows of the database need: the encryption key, and the API key and control token of the folder. */
const files = ['secret.key', 'credentials.json'] as const

/**
 * Copies the secrets of a data folder to another one. Throws TransferRefused, before anything is copied, if that one has
 * others.
 */
export function copyFolderSecrets(from: string, to: string): void {
  if (from === to) return
  const missing = files.filter((it) => {
    const [source, target] = [join(from, it), join(to, it)]
    if (!existsSync(source)) return false
    if (!existsSync(target)) return true
    if (readFileSync(source).equals(readFileSync(target))) return false
    throw new TransferRefused(
      'conflict',
      `The folder ${to} has its own ${it}, which does not belong to the data.`,
      'Choose an empty folder with --to.',
    )
  })
  for (const it of missing) createFile(join(to, it), readFileSync(join(from, it), 'utf8'))
}
