import { itemsOf } from '../../client/pages.ts'
import type { Thing } from '../../contract/references.ts'
import type { Known } from '../before.ts'
import type { Context } from '../context.ts'
import type { Pointer } from './copies.ts'
import type { Kind } from './kinds.ts'

/** Nouns of commands by the names of lists. */
const things: Readonly<Record<string, Thing>> = { 'sip-trunks': 'numbers' }

/** What points to a thing that is about to go: told by its own lists where the command has read them, read now otherwise. */
export async function pointersTo(context: Context, kind: Kind, { id }: Known): Promise<Pointer[]> {
  const { lists, references } = await import('../../contract/references.ts')
  const { valuesAt } = await import('../referring.ts')
  const thing = things[kind.noun] ?? (kind.noun as Thing)
  const found: Pointer[] = []
  for (const [from, fields] of Object.entries(references)) {
    const pointing = fields.filter(({ to }) => to === thing)
    if (pointing.length === 0) continue
    const list = lists[from as Thing]
    const seen = context.seen.filter((it) => it.endpoint.name === list.name && !it.written && !it.failed)
    const answers = seen.length > 0 ? seen.map((it) => it.output) : [await context.call(list, { per_page: 100 } as never).catch(() => undefined)]
    const items = new Map(answers.flatMap((answer) => itemsOf(list, answer) as Known[]).map((it) => [it.id, it]))
    for (const it of items.values())
      for (const { path, ...how } of pointing)
        if (valuesAt(it, { path, ...how }).includes(id))
          found.push({ noun: from, id: it.id as number, name: (it.name as string) ?? null, field: path.split(/[[.]/, 1)[0] as string })
  }
  return found.filter((it) => !(it.noun === kind.noun && it.id === id))
}
