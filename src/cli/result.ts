import type { Context } from './context.ts'
import { fitted } from './output/fitted.ts'
import { shapeOf } from './shape.ts'

/** What a write made: the object for programs; for people one sentence, the id, what changed where that was found out, and the next useful command. */
export async function printMade<T extends { readonly id: number | string }>(
  context: Context,
  message: string,
  made: T,
  next?: string,
  changed?: string,
): Promise<void> {
  const { out, notes, command } = context
  const isRecord = out.settings.form !== 'table' || out.settings.fields !== undefined
  const hasId = typeof made.id === 'string' || typeof made.id === 'number'
  if (isRecord) await out.record(made, shapeOf(command) as never)
  else await out.line(await fitted(`${sentence(message)}${hasId ? ` Id: ${made.id}` : ''}`, out.settings))
  if (changed) await notes.note(changed)
  if (next && hasId && !isRecord) await notes.note(`Next: ${next}`)
}

/** What a platform says it did, with a full stop; `Done.` where it says nothing. */
export const sentence = (message: unknown): string => (typeof message === 'string' && message !== '' ? message.replace(/\.?$/, '.') : 'Done.')
