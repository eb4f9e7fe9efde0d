import type * as z from 'zod'
import { isObject } from '../values/json-object.ts'
import { schemaDefinition, unwrap } from './coerce.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns whether a value is a file, of this realm or another. */
export const isFile = (value: unknown): value is File => Object.prototype.toString.call(value) === '[object File]'

/**
 * Returns the value that represents a file in the body of a request. The files are sent beside the body. Client and server
 * make it from the same file, and `fileFor` finds the file by it.
 */
export const filePlaceholder = ({ name, size }: File): object => ({ filename: name, size })

/** Returns the names of the fields of a body that are files. */
export const fileFields = ({ shape }: z.ZodObject): string[] =>
  Object.keys(shape).filter((name) => schemaDefinition(unwrap(shape[name] as z.ZodType).base).type === 'file')

/** Returns the file that a value of a body represents. */
export const fileFor = (value: unknown, files: readonly File[]): File | undefined =>
  isObject(value) ? files.find((it) => it.name === value.filename && it.size === value.size) : undefined

/** Returns a body in which the values that represent files are replaced by the files. */
export const attachFiles = (body: Fields, files: readonly File[]): Fields =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, fileFor(value, files) ?? value]))
