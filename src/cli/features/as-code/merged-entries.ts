// Merges the two sides of an entry, and prints what a side loses: for pull, push and promotions. The words of a merge (mine, theirs,
// adopted, conflict) are explained in program/updates/merge-records.ts, and the states of an entry in compare.ts.

import type { Context } from '../../program/context.ts'
import type { MergeConflict } from '../../program/updates/merge-records.ts'
import { fullText, lostValueLines } from '../../program/updates/text-difference.ts'
import { differingFields, mergeEntry, type SyncEntry } from './compare.ts'
import { toSide } from './compare-folder.ts'
import { changeLines, fieldDifferences, lostChangeLines } from './drift.ts'

/**
 * Returns an entry whose local side has both changes, and its fields that differ from the platform. Fields that the file
 * leaves out stay out.
 */
export async function withMergedLocal(entry: SyncEntry): Promise<SyncEntry> {
  const merge = mergeEntry(entry)
  if (!merge || !entry.local || !entry.remote) return entry
  const { content } = entry.remote
  const given = entry.local.content
  // Fields that the file leaves out are not managed by it, so a merge must not add them.
  const omitted = (entry.unchanged ?? []).filter((name) => given[name] === undefined)
  const merged = Object.entries(merge.merged).filter(([name]) => !omitted.includes(name))
  const local = await toSide(entry.kind, Object.fromEntries(merged))
  // The environment has another value for the secrets of the other fields.
  const shown = differingFields(entry.kind, given, content, [])
  const secrets = entry.fields.filter((name) => !shown.includes(name))
  const fields = [...new Set([...differingFields(entry.kind, local.content, content, omitted), ...secrets])]
  return { ...entry, source: entry.local, local, fields, merge }
}

/** Prints what a merge takes from the other side. It is printed with `--quiet` too, because `--yes` accepts it. */
export async function noteMerges({ notes }: Context, entries: readonly SyncEntry[], title: string): Promise<void> {
  const lines = entries.flatMap((entry) =>
    (entry.merge?.adopted ?? []).flatMap(({ path, base, theirs }) =>
      lostChangeLines(entry, { path, lost: base, replacement: theirs, verb: 'becomes' }),
    ),
  )
  if (lines.length > 0) await notes.warn([title, ...lines].join('\n'))
}

/** Prints each value that is lost. It is printed with `--quiet` too. */
export async function noteLostValues({ notes }: Context, lines: readonly string[], title: string): Promise<void> {
  if (lines.length > 0) await notes.warn([title, ...lines].join('\n'))
}

/** Describes the values of one side that an entry loses: those of its conflicts, or of all differing fields. */
export function lostLines(entry: SyncEntry, side: 'theirs' | 'mine'): string[] {
  const { local, remote, source, fields, merge } = entry
  if (!local || !remote) return deletedLines(entry, side)
  const other = side === 'theirs' ? 'mine' : 'theirs'
  // An entry that was merged loses only its conflicts. One that is overwritten also loses the changes of the other side that a
  // merge would have adopted. Without the content at the last sync, every differing field counts as lost.
  const overwritten = merge ? undefined : mergeEntry(entry)
  const conflicts: readonly MergeConflict[] =
    merge?.conflicts ??
    (overwritten && [...overwritten.conflicts, ...overwritten.adopted.map((it) => ({ ...it, mine: it.base }))]) ??
    fields.map((path) => ({
      path,
      base: undefined,
      theirs: remote?.content[path],
      mine: (source ?? local)?.content[path],
    }))
  return conflicts.flatMap((it) => lostChangeLines(entry, { path: it.path, lost: it[side], replacement: it[other] }))
}

/** Describes each value of a side that the other side has deleted. */
const deletedLines = ({ file, local, remote }: SyncEntry, side: 'theirs' | 'mine'): string[] => [
  `${file}: deleted, with its values:`,
  ...Object.entries((side === 'theirs' ? remote : local)?.content ?? {})
    .filter(([, value]) => value !== null)
    .flatMap(([name, lost]) => lostValueLines({ path: `${file}: ${name}`, lost, replacement: null })),
]

/** What a message calls the two sides that are compared. */
export interface SideNames {
  readonly theirs: string
  readonly mine: string
}

/** Describes a conflict with the three values of each field. */
export function conflictDetails(
  entry: SyncEntry,
  { theirs, mine }: SideNames = { theirs: 'platform', mine: 'file' },
): { readonly path: string; readonly message: string }[] {
  const merge = mergeEntry(entry)
  if (!merge)
    return fieldDifferences(entry).map((it) => ({ path: entry.file, message: `${it} (${theirs} -> ${mine})` }))
  return merge.conflicts.map((conflict) => ({
    path: `${entry.file}: ${conflict.path}`,
    message: entry.unclearSecrets?.includes(conflict.path)
      ? 'the secret differs from the environment, and the platform shows a change since the last sync that may be this secret'
      : (partsOf(entry, conflict, { theirs, mine }) ??
        `was ${fullText(conflict.base)}; ${theirs}: ${fullText(conflict.theirs)}; ${mine}: ${fullText(conflict.mine)}`),
  }))
}

/** Describes the change of each side of a conflict in a document; undefined for other values. */
function partsOf({ kind }: SyncEntry, { path, base, ...sides }: MergeConflict, names: SideNames): string | undefined {
  if (!kind.describeChange?.(path, base, sides.mine) || !kind.describeChange(path, base, sides.theirs)) return undefined
  const lines = (['theirs', 'mine'] as const).flatMap((side) => [
    `${names[side]}:`,
    ...changeLines(kind, path, base, sides[side]).map((it) => `  ${it}`),
  ])
  return ['changed in both:', ...lines].join('\n')
}
