import type { Synced } from './lock.ts'

/** A thing as one side has it: `content` is what a file holds, `hash` that of its canonical text. */
export interface Side {
  readonly hash: string
  readonly content: Readonly<Record<string, unknown>>
}

export interface Remote extends Side {
  readonly id: number | string
  readonly name: string
}

/** How a file and its thing stand to each other, against what they were when they were last the same. */
export type Standing = 'same' | 'new here' | 'changed here' | 'gone here' | 'new there' | 'changed there' | 'gone there' | 'conflict'

export interface Item<R extends Remote = Remote> {
  readonly file: string
  /** The file it had when both were last the same, where it was renamed since. */
  readonly from?: string
  readonly id: number | string | null
  readonly name: string
  readonly standing: Standing
  readonly here: Side | undefined
  readonly there: R | undefined
}

/** What files and things were when they were last the same. */
export interface Synchronised {
  readonly files: readonly string[]
  of(file: string): Synced | undefined
}

/**
 * Compares files with a platform in three ways. Things never seen together before are matched by name,
 * and so is a new file with the one thing whose own file is gone: it was renamed.
 * `fileFor` names the file of a thing that has none;
 * `agree` tells whether two that were never the same say the same.
 */
export function compare<R extends Remote>(
  files: ReadonlyMap<string, Side>,
  remotes: readonly R[],
  lock: Synchronised,
  fileFor: (remote: R, taken: ReadonlySet<string>) => string,
  agree: (here: Side, there: R) => boolean = (here, there) => here.hash === there.hash,
): Item<R>[] {
  const taken = new Set([...files.keys(), ...lock.files])
  const ids = new Set(remotes.map((it) => String(it.id)))
  const fileOf = new Map<string, string>()
  for (const file of lock.files) fileOf.set(String(lock.of(file)?.id), file)
  const isKnown = (file: string): boolean => ids.has(String(lock.of(file)?.id))
  const renamed = renames(files, remotes, lock, fileOf)
  const moved = new Set(renamed.values())
  const items: Item<R>[] = []
  const seen = new Set<string>()
  for (const there of remotes) {
    const known = fileOf.get(String(there.id))
    const twins = [...files].filter(([file, { content }]) => !isKnown(file) && !seen.has(file) && !moved.has(file) && content.name === there.name)
    const now = known === undefined ? undefined : renamed.get(known)
    const file = now ?? known ?? (twins.length === 1 ? (twins[0] as [string, Side])[0] : fileFor(there, taken))
    taken.add(file)
    seen.add(file)
    const here = files.get(file)
    const standing = standingOf(here, there, known === undefined ? undefined : lock.of(known), agree)
    items.push({ file, ...(now !== undefined && { from: known as string }), id: there.id, name: there.name, here, there, standing })
  }
  for (const file of new Set([...files.keys(), ...lock.files])) {
    if (seen.has(file)) continue
    const here = files.get(file)
    const synced = lock.of(file)
    if (!here) continue
    const standing = !synced ? 'new here' : here.hash === synced.here ? 'gone there' : 'conflict'
    items.push({ file, id: synced?.id ?? null, name: String(here.content.name ?? file), here, there: undefined, standing })
  }
  return items.sort((a, b) => (a.file < b.file ? -1 : 1))
}

/** New files that took the place of one that is gone, by the path of that: only where one name leads from one to one. */
function renames(
  files: ReadonlyMap<string, Side>,
  remotes: readonly Remote[],
  lock: Synchronised,
  fileOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const fresh = [...files].filter(([file]) => !lock.of(file))
  const lost = remotes.flatMap(({ id, name }) => {
    const file = fileOf.get(String(id))
    return file !== undefined && !files.has(file) ? [{ file, name }] : []
  })
  return new Map(
    lost.flatMap(({ file, name }): [string, string][] => {
      const [to, ...others] = fresh.filter(([, { content }]) => content.name === name)
      return to && others.length === 0 && lost.filter((it) => it.name === name).length === 1 ? [[file, to[0]]] : []
    }),
  )
}

function standingOf<R extends Remote>(here: Side | undefined, there: R, synced: Synced | undefined, agree: (here: Side, there: R) => boolean): Standing {
  if (!synced) return !here ? 'new there' : agree(here, there) ? 'same' : 'conflict'
  const isChangedThere = there.hash !== synced.there
  if (!here) return isChangedThere ? 'conflict' : 'gone here'
  const isChangedHere = here.hash !== synced.here
  if (isChangedHere && isChangedThere) return here.hash === there.hash ? 'same' : 'conflict'
  return isChangedHere ? 'changed here' : isChangedThere ? 'changed there' : 'same'
}
