import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../../node/json.ts'
import { usageError } from '../errors/usage-error.ts'

/** Reads the API key and control token of a data folder; undefined if it has none. */
export function readLocalCredentials(
  dir: string,
): { readonly key: string | null; readonly control: string } | undefined {
  const file = join(dir, 'credentials.json')
  try {
    return parseJson(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw usageError(`Could not read ${file}: ${(error as Error).message}.`)
  }
}
