import type { SyncRecord } from './sync-lock.ts'

/** A thing as one side has it: `content` is what a file holds, `hash` that of its canonical text. */
export interface SyncSide {
  readonly hash: string
  readonly content: Readonly<Record<string, unknown>>
}

export interface RemoteSide extends SyncSide {
  readonly id: number | string
  readonly name: string
}

/** How a file and its thing stand to each other, against what they were when they were last the same. */
export type SyncStatus =
  | 'same'
  | 'local_only'
  | 'changed_locally'
  | 'deleted_locally'
  | 'remote_only'
  | 'changed_remotely'
  | 'deleted_remotely'
  | 'conflict'

export interface SyncItem<R extends RemoteSide = RemoteSide> {
  readonly file: string
  /** The file it had when both were last the same, where it was renamed since. */
  readonly renamedFrom?: string
  readonly id: number | string | null
  readonly name: string
  readonly status: SyncStatus
  readonly local: SyncSide | undefined
  readonly remote: R | undefined
}

/** What files and things were when they were last the same. */
export interface SyncState {
  readonly files: readonly string[]
  of(file: string): SyncRecord | undefined
}

/**
 * Compares files with a platform in three ways. Things never seen together before are matched by name,
 * and so is a new file with the one thing whose own file is gone: it was renamed.
 * `fileFor` names the file of a thing that has none;
 * `agree` tells whether two that were never the same say the same.
 */
export function compare<R extends RemoteSide>(
  files: ReadonlyMap<string, SyncSide>,
  remotes: readonly R[],
  lock: SyncState,
  fileFor: (remote: R, taken: ReadonlySet<string>) => string,
  isEqual: (localSide: SyncSide, remoteSide: R) => boolean = (here, there) => here.hash === there.hash,
): SyncItem<R>[] {
  const taken = new Set([...files.keys(), ...lock.files])
  const ids = new Set(remotes.map((it) => String(it.id)))
  const fileOf = new Map<string, string>()
  for (const file of lock.files) fileOf.set(String(lock.of(file)?.id), file)
  const isKnown = (file: string): boolean => ids.has(String(lock.of(file)?.id))
  const renamed = renames(files, remotes, lock, fileOf)
  const moved = new Set(renamed.values())
  const items: SyncItem<R>[] = []
  const seen = new Set<string>()
  for (const remoteSide of remotes) {
    const knownFile = fileOf.get(String(remoteSide.id))
    const sameName = [...files].filter(
      ([file, { content }]) =>
        !isKnown(file) && !seen.has(file) && !moved.has(file) && content.name === remoteSide.name,
    )
    const renamedTo = knownFile === undefined ? undefined : renamed.get(knownFile)
    const file =
      renamedTo ??
      knownFile ??
      (sameName.length === 1 ? (sameName[0] as [string, SyncSide])[0] : fileFor(remoteSide, taken))
    taken.add(file)
    seen.add(file)
    const localSide = files.get(file)
    const status = syncStatus(localSide, remoteSide, knownFile === undefined ? undefined : lock.of(knownFile), isEqual)
    items.push({
      file,
      ...(renamedTo !== undefined && { renamedFrom: knownFile as string }),
      id: remoteSide.id,
      name: remoteSide.name,
      local: localSide,
      remote: remoteSide,
      status,
    })
  }
  for (const file of new Set([...files.keys(), ...lock.files])) {
    if (seen.has(file)) continue
    const localSide = files.get(file)
    const synced = lock.of(file)
    if (!localSide) continue
    const status = !synced ? 'local_only' : localSide.hash === synced.here ? 'deleted_remotely' : 'conflict'
    items.push({
      file,
      id: synced?.id ?? null,
      name: String(localSide.content.name ?? file),
      local: localSide,
      remote: undefined,
      status,
    })
  }
  return items.sort((a, b) => (a.file < b.file ? -1 : 1))
}

/** New files that took the place of one that is gone, by the path of that: only where one name leads from one to one. */
function renames(
  files: ReadonlyMap<string, SyncSide>,
  remotes: readonly RemoteSide[],
  lock: SyncState,
  fileOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const added = [...files].filter(([file]) => !lock.of(file))
  const deleted = remotes.flatMap(({ id, name }) => {
    const file = fileOf.get(String(id))
    return file !== undefined && !files.has(file) ? [{ file, name }] : []
  })
  return new Map(
    deleted.flatMap(({ file, name }): [string, string][] => {
      const [to, ...others] = added.filter(([, { content }]) => content.name === name)
      return to && others.length === 0 && deleted.filter((it) => it.name === name).length === 1 ? [[file, to[0]]] : []
    }),
  )
}

function syncStatus<R extends RemoteSide>(
  localSide: SyncSide | undefined,
  remoteSide: R,
  synced: SyncRecord | undefined,
  isEqual: (here: SyncSide, there: R) => boolean,
): SyncStatus {
  if (!synced) return !localSide ? 'remote_only' : isEqual(localSide, remoteSide) ? 'same' : 'conflict'
  const isRemoteChanged = remoteSide.hash !== synced.there
  if (!localSide) return isRemoteChanged ? 'conflict' : 'deleted_locally'
  const isLocalChanged = localSide.hash !== synced.here
  if (isLocalChanged && isRemoteChanged) return localSide.hash === remoteSide.hash ? 'same' : 'conflict'
  return isLocalChanged ? 'changed_locally' : isRemoteChanged ? 'changed_remotely' : 'same'
}
