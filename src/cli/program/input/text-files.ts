import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type * as z from 'zod'
import { unwrap } from '../../../contract/endpoint/coerce.ts'
import { longTextFields } from '../../../contract/endpoint/long-texts.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { usageError } from '../errors/usage-error.ts'

/** Field of a document that names the file with the text of another field. Users have it in their files: it never changes. */
export const textFileField = (field: string): string => `${field}_file`

/**
 * Replaces the names of text files in a document by their texts: `system_prompt_file: front-desk.md`. `path` is the
 * absolute path of the document, and `where` names it in messages. @throws ClientFailure `usage` with the field
 */
export function withTexts(document: unknown, schema: z.ZodType | undefined, path: string, where: string): unknown {
  if (!isObject(document) || !schema || unwrap(schema).kind !== 'object') return document
  const fields = new Map(longTextFields(unwrap(schema).base as z.ZodObject).map((it) => [textFileField(it), it]))
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const field = fields.get(name)
      if (field === undefined) return [name, value]
      if (Object.hasOwn(document, field))
        throw usageError(`${where}: ${field} and ${name} cannot be combined.`, 'Remove one of them.')
      return [field, readText(path, value, `${where}: ${name}`)]
    }),
  )
}

function readText(path: string, name: unknown, where: string): string {
  const file = typeof name === 'string' && name !== '' && !isAbsolute(name) ? resolve(dirname(path), name) : undefined
  // A project may be somebody else's, and must not send other files of this computer.
  if (file === undefined || relative(dirname(dirname(path)), file).split(sep)[0] === '..')
    throw usageError(`${where} must be the path of a text file in the project, such as front-desk.md.`)
  let text: string
  try {
    // A version control system may have changed the line ends.
    text = decodeText(readFileSync(file)).replaceAll('\r\n', '\n')
  } catch (error) {
    throw usageError(`${where}: Could not read ${name}: ${describeFileError(error)}.`)
  }
  if (text.trim() === '') throw usageError(`${where}: ${name} is empty.`)
  // Editors end a file with a line end, which is not part of the text.
  return text.replace(/\n$/, '')
}
