import type { Lock } from './lock.ts'

/** A thing as one side has it: `content` is what a file holds, `hash` that of its canonical text. */
export interface Side {
  readonly hash: string
  readonly content: Readonly<Record<string, unknown>>
}

export interface Remote extends Side {
  readonly id: string
  readonly name: string
}

/** How a file and its thing stand to each other, against what they were when they were last the same. */
export type Standing = 'same' | 'new here' | 'changed here' | 'gone here' | 'new there' | 'changed there' | 'gone there' | 'conflict'

export interface Item {
  readonly file: string
  readonly id: string | null
  readonly name: string
  readonly standing: Standing
  readonly here: Side | undefined
  readonly there: Remote | undefined
}

/**
 * Compares files with a platform in three ways. Things never seen together before are matched by name.
 * `fileFor` names the file of a thing that has none.
 */
export function compare(
  files: ReadonlyMap<string, Side>,
  remotes: readonly Remote[],
  lock: Lock,
  fileFor: (remote: Remote, taken: ReadonlySet<string>) => string,
): Item[] {
  const taken = new Set([...files.keys(), ...lock.files])
  const fileOf = new Map<string, string>()
  for (const file of lock.files) fileOf.set((lock.of(file) as { id: string }).id, file)
  const items: Item[] = []
  const seen = new Set<string>()
  for (const there of remotes) {
    const known = fileOf.get(there.id)
    const twins = [...files].filter(([file, { content }]) => !lock.of(file) && !seen.has(file) && content.name === there.name)
    const file = known ?? (twins.length === 1 ? (twins[0] as [string, Side])[0] : fileFor(there, taken))
    taken.add(file)
    seen.add(file)
    const here = files.get(file)
    items.push({ file, id: there.id, name: there.name, here, there, standing: standingOf(here, there, lock.of(file)) })
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

function standingOf(here: Side | undefined, there: Remote, synced: { readonly here: string; readonly there: string } | undefined): Standing {
  if (!synced) return !here ? 'new there' : here.hash === there.hash ? 'same' : 'conflict'
  const isChangedThere = there.hash !== synced.there
  if (!here) return isChangedThere ? 'conflict' : 'gone here'
  const isChangedHere = here.hash !== synced.here
  if (isChangedHere && isChangedThere) return here.hash === there.hash ? 'same' : 'conflict'
  return isChangedHere ? 'changed here' : isChangedThere ? 'changed there' : 'same'
}
