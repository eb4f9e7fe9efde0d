import type { Context } from '../context.ts'
import { type Copy, listCopies } from './copies.ts'
import { placeOf } from './recorder.ts'

/** The newest copy of a thing; undefined where none is kept. */
export async function lastCopy(context: Context, noun: string, id: number | string): Promise<Copy | undefined> {
  return listCopies(context.world, await placeOf(context)).find(
    (it) => it.noun === noun && String(Object.values(it.ids).at(-1)) === String(id) && it.before !== null,
  )
}
