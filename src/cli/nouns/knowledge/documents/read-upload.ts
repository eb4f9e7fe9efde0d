import { readFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { maxFileKilobytes } from '../../../../contract/resources/knowledge.ts'
import { describeFileError } from '../../../../node/file-error.ts'
import type { CommandInput } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'

/**
 * Types of documents by the extension of the file. The platform knows the types. Both error messages below repeat the endings
 * and the size.
 */
const documentTypes: Readonly<Record<string, string>> = { '.pdf': 'pdf', '.txt': 'txt', '.md': 'txt', '.docx': 'docx' }
const maxBytes = maxFileKilobytes * 1024

/** Returns the fields for a file of `--upload`. @throws ClientFailure `usage` for an unreadable or unsupported file */
export function readUpload({ system }: Pick<Context, 'system'>, path: string): CommandInput {
  const extension = extname(path)
  const type = documentTypes[extension.toLowerCase()]
  if (type === undefined) throw usageError(`Invalid --upload ${path}. Use a file that ends with .pdf, .txt or .docx.`)
  let bytes: Buffer<ArrayBuffer>
  try {
    bytes = readFileSync(resolve(system.cwd, path))
  } catch (error) {
    throw usageError(`Could not read --upload ${path}: ${describeFileError(error)}.`)
  }
  if (bytes.length > maxBytes) throw usageError(`--upload ${path} is larger than 20 MB.`, 'Split the document.')
  return { type, name: basename(path, extension), file: new File([bytes], basename(path)) }
}
