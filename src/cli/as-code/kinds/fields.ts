import type * as z from 'zod'
import { unwrap } from '../../../contract/coerce.ts'
import type { Known } from '../../before.ts'
import { closest } from '../../output/closest.ts'
import { usage } from '../../usage.ts'

/** What of a thing a file holds: fields that are set, in the contract's order. */
export const inOrder = (it: Known, fields: readonly string[]): Known =>
  Object.fromEntries(fields.filter((name) => it[name] !== undefined && it[name] !== null).map((name) => [name, it[name]]))

/** The same of a document, where a line without a value sets nothing. @throws ClientFailure `usage` for fields there are not, and without a name */
export function plain(document: Known, { shape }: z.ZodObject, file: string): Known {
  const fields = Object.keys(shape)
  for (const name of Object.keys(document)) {
    if (fields.includes(name)) continue
    const guess = closest(name, fields)
    throw usage(`${file}: there is no field "${name}"${guess ? `. Did you mean ${guess}?` : '.'}`, 'Nothing was changed.')
  }
  if (typeof document.name !== 'string' || document.name === '') throw usage(`${file}: name is missing.`, 'Nothing was changed.')
  const isSet = ([name, value]: [string, unknown]): boolean => value !== '' || unwrap(shape[name] as z.ZodType).kind === 'string'
  return inOrder(Object.fromEntries(Object.entries(document).filter(isSet)), fields)
}
