import type { Context } from './context.ts'
import { shapeOf } from './shape.ts'

/** What a write made: the object for programs; for people one sentence, the id and the next useful command. */
export async function printMade<T extends { readonly id: number | string }>(context: Context, message: string, made: T, next?: string): Promise<void> {
  const { out, notes, command } = context
  if (out.settings.form !== 'table' || out.settings.fields) {
    await out.record(made, shapeOf(command) as never)
    return
  }
  await out.line(`${message.replace(/\.?$/, '.')} Id: ${made.id}`)
  if (next) await notes.note(`Next: ${next}`)
}
