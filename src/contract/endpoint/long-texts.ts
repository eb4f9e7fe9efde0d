import type * as z from 'zod'
import { unwrap } from './coerce.ts'

// Long texts are those that people write in an editor, such as prompts: a document may have each in a file of its own.
// They are marked by a keyword of JSON Schema, so that editors and generators see it too.

/** Value of the keyword `contentMediaType` of long texts. */
export const longTextType = 'text/markdown'

/**
 * Returns the fields of an object that are long texts. `push` reads the Markdown files that documents of users name for these
 * fields: one that loses the mark has no such file any more.
 */
export const longTextFields = ({ shape }: z.ZodObject): readonly string[] =>
  Object.keys(shape).filter((name) => unwrap(shape[name]).base.meta()?.contentMediaType === longTextType)
