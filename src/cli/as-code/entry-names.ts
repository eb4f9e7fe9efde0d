import type { ResourceRecord } from '../updates/previous-record.ts'
import type { SyncEntry } from './compare-folder.ts'

/** Returns the name of a resource after a push. */
export const entryName = ({ name, local }: SyncEntry): string => local?.name ?? name
/** Returns the kind and the name of a resource after a push. */
export const entryKey = (entry: SyncEntry): string => `${entry.kind.resourceKind} ${entryName(entry)}`

/** Returns whether a push gives a resource a new name: it is created or renamed. */
export const changesName = (entry: SyncEntry): boolean =>
  entry.local !== undefined && entry.remote?.name !== entryName(entry)

/** Returns the named fields that are set. */
export const pickFields = (it: ResourceRecord, names: readonly string[]): ResourceRecord =>
  Object.fromEntries(names.filter((name) => it[name] !== undefined).map((name) => [name, it[name]]))
