import { isForAgent } from '../configuration/agent-mode.ts'
import type { Context } from '../context.ts'
import { fitText } from '../terminal/wrap-text.ts'
import { ignoredFields } from '../updates/write-tracker.ts'
import { itemShape } from './tables/item-shape.ts'

/**
 * Prints the result of a write: the object for programs; for people a sentence, the id, the changes if known, and the
 * next command. For programs, `ignored` lists fields that the platform accepted and did not save; scripts
 * read it under this name.
 */
export async function printWriteResult<T extends { readonly id: number | string }>(
  context: Context,
  message: string,
  written: T,
  next?: string,
  changed?: string,
): Promise<void> {
  const { out, notes, command } = context
  const hasId = ['string', 'number', 'bigint'].includes(typeof written.id)
  const ignored = ignoredFields(context, written.id)
  const print = async (): Promise<void> =>
    out.done(await fitText(`${toSentence(message)}${hasId ? ` Id: ${written.id}` : ''}`, out.settings))
  await out.result(ignored.length > 0 ? { ...written, ignored } : written, print, itemShape(command))
  if (changed) await notes.note(changed)
  if (next && hasId && (out.isForPeople || isForAgent(context.system.env))) await notes.note(`Next: ${next}`)
}

/** Returns the message of the platform with a full stop; `Done.` if it is empty. */
export const toSentence = (message: unknown): string =>
  typeof message === 'string' && message !== '' ? message.replace(/\.?$/, '.') : 'Done.'
