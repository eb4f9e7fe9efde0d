import type { Context } from '../context.ts'
import { fitText } from '../terminal/fit-text.ts'
import { itemShape } from './item-shape.ts'

/** What a write made: the object for programs; for people one sentence, the id, what changed where that was found out, and the next useful command. */
export async function printWriteResult<T extends { readonly id: number | string }>(
  context: Context,
  message: string,
  written: T,
  next?: string,
  changed?: string,
): Promise<void> {
  const { out, notes, command } = context
  const isRecord = out.settings.form !== 'table' || out.settings.fields !== undefined
  const hasId = typeof written.id === 'string' || typeof written.id === 'number'
  if (isRecord) await out.record(written, itemShape(command) as never)
  else await out.line(await fitText(`${toSentence(message)}${hasId ? ` Id: ${written.id}` : ''}`, out.settings))
  if (changed) await notes.note(changed)
  if (next && hasId && !isRecord) await notes.note(`Next: ${next}`)
}

/** What a platform says it did, with a full stop; `Done.` where it says nothing. */
export const toSentence = (message: unknown): string =>
  typeof message === 'string' && message !== '' ? message.replace(/\.?$/, '.') : 'Done.'
