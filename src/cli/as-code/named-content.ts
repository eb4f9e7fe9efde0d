import type { Reference, Thing } from '../../contract/references.ts'
import type { Known } from '../before.ts'
import { mapAt } from '../referring.ts'
import type { AsCode } from './kind.ts'
import type { Names } from './names.ts'

const placesIn = (kind: AsCode, content: Known): readonly Reference[] => [...kind.references, ...(kind.further?.(content) ?? [])]

/** A name nothing is called by. */
export interface Missing {
  readonly to: Thing
  readonly name: string
  readonly path: string
}

type Found = { readonly value: unknown; readonly to: Thing; readonly path: string; readonly field: string }

const fieldOf = (path: string): string => path.replace(/\[\].*$/, '')

/** Replaces what content points to; each value is looked up once it is known what there is. */
async function replaced(kind: AsCode, content: Known, instead: (it: Found) => Promise<unknown>): Promise<Known> {
  let result = content
  for (const place of placesIn(kind, content)) {
    const found: unknown[] = []
    const waiting: Promise<unknown>[] = []
    mapAt(result, place, (value, path) => {
      waiting.push(instead({ value, to: place.to, path, field: fieldOf(place.path) }))
      return value
    })
    found.push(...(await Promise.all(waiting)))
    let n = 0
    result = mapAt(result, place, () => found[n++])
  }
  return result
}

/** Content that calls by their names what it points to; what has none that is its own stays an id. */
export const namesIn = (names: Names, kind: AsCode, content: Known): Promise<Known> =>
  replaced(kind, content, ({ value, to, field }) => (typeof value === 'number' ? names.nameOf(value, to, field) : Promise.resolve(value)))

/** The same by ids, as the platform takes it. `missing` is told what is not there. @throws ClientFailure `usage` for a name that several have */
export const idsIn = (names: Names, kind: AsCode, content: Known, file: string, missing: (it: Missing) => void): Promise<Known> =>
  replaced(kind, content, async ({ value, to, path, field }) => {
    const id = await names.idOf(value, to, field, file)
    if (id === undefined) missing({ to, name: String(value), path })
    return id ?? value
  })
