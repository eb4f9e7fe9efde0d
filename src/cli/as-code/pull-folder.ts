import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringifyJson } from '../../node/json.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { replaceFile } from '../../node/replace-file.ts'
import type { Context } from '../context.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { SyncStatus } from './compare.ts'
import { applyRenames, compareFolder, type Layout, type SyncEntry, toSyncRecord } from './compare-folder.ts'
import { keepLocalReferences } from './environment-secrets.ts'
import { whileLocked } from './folder-lock.ts'
import { findSharedVariables, separateVariables, variablesIn } from './shared-variables.ts'
import { isDifferent, rejectConflicts, syncView, toFileStatuses } from './sync-view.ts'
import { renderYamlFile } from './yaml-file.ts'

export interface PullOptions {
  readonly folder: string
  readonly layout: Layout
  readonly check: boolean
  /** Takes the version of the platform on conflicts. */
  readonly forced: boolean
  /** The commands for a push and for showing the differences, for messages. */
  readonly words: { readonly push: string; readonly diff: string }
}

const pullStatuses = new Set<SyncStatus>(['remote_only', 'changed_remotely', 'deleted_remotely'])

/** Exports the resources of the platform to files, and prints the changed files. */
export const pullFolder = (context: Context, options: PullOptions): Promise<'finding' | 'done'> =>
  options.check || context.globals.dryRun
    ? exportFolder(context, options)
    : whileLocked(context, options.folder, () => exportFolder(context, options))

async function exportFolder(
  context: Context,
  { folder, layout, check, forced, words }: PullOptions,
): Promise<'finding' | 'done'> {
  const { lock, entries } = await compareFolder(context, folder, layout)
  if (check || context.globals.dryRun) {
    const different = entries.filter(isDifferent)
    await context.out.list(toFileStatuses(different), { view: syncView })
    return check && different.length > 0 ? 'finding' : 'done'
  }
  if (!forced) rejectConflicts(entries, words.diff, 'pass --force-remote to use the platform version')
  const resolved = entries.map((it) =>
    forced && it.status === 'conflict'
      ? { ...it, status: it.remote ? ('changed_remotely' as const) : ('deleted_remotely' as const) }
      : it,
  )
  applyRenames({ entries, lock })
  for (const entry of resolved) {
    const { file, status, local, remote } = entry
    const path = join(folder, file)
    if (status === 'deleted_remotely') {
      rmSync(path, { force: true })
      lock.set(file, undefined)
    } else if (remote && pullStatuses.has(status)) {
      makeFolder(dirname(path))
      const whole = (local && entry.kind.keepLocalParts?.(remote.content, local.content)) ?? remote.content
      const content = await withOwnVariables(
        context,
        entry,
        keepLocalReferences(whole, local?.content) as ResourceRecord,
      )
      replaceFile(path, await renderYamlFile(content, local && path), { mode: 'keep' })
      lock.set(file, toSyncRecord(remote, remote))
    } else if (remote && local && status === 'same') {
      const content = await withOwnVariables(context, entry, local.content)
      if (content !== local.content) replaceFile(path, await renderYamlFile(content, path), { mode: 'keep' })
      const now = toSyncRecord(local, remote)
      if (stringifyJson(lock.of(file)) !== stringifyJson(now)) lock.set(file, now)
    }
  }
  await context.out.list(toFileStatuses(resolved.filter((it) => pullStatuses.has(it.status))), {
    view: { ...syncView, empty: 'No remote changes.' },
  })
  const written = resolved.filter((it) => it.status !== 'deleted_remotely' && pullStatuses.has(it.status)).length
  if (written > 0) await context.notes.note(`Wrote ${written} ${written === 1 ? 'file' : 'files'} to ${folder}.`)
  const removed = resolved.filter((it) => it.status === 'deleted_remotely')
  if (removed.length > 0)
    await context.notes.note(`Deleted remotely, so the files were removed: ${joinFileNames(removed)}.`)
  const notPulled = resolved.filter((it) => isDifferent(it) && !pullStatuses.has(it.status))
  if (notPulled.length > 0)
    await context.notes.note(
      `Not overwritten, because they were changed locally: ${joinFileNames(notPulled)}. Next: ${words.push}`,
    )
  return 'done'
}

/**
 * Returns the content of a file in which variables that are used for different secrets are replaced by one for each secret,
 * and says so.
 */
async function withOwnVariables(
  { notes }: Context,
  { file, remote }: SyncEntry,
  content: ResourceRecord,
): Promise<ResourceRecord> {
  const shared = findSharedVariables(content, remote?.raw)
  if (!remote || shared.length === 0) return content
  const names = new Set(shared.map((it) => it.variable))
  const separate = separateVariables(content, remote.content, names) as ResourceRecord
  const known = new Set(variablesIn(content))
  const added = [...new Set(variablesIn(separate))].filter((it) => !known.has(it))
  for (const { variable, paths } of shared)
    await notes.warn(
      `${file}: \${${variable}} was the variable of different secrets: ${paths.join(', ')}. Each has its own variable now. Set them where it is pushed: ${added.join(', ')}.`,
    )
  return separate
}

/** Joins the file names of entries for a message. */
export const joinFileNames = (entries: readonly SyncEntry[]): string => entries.map((it) => it.file).join(', ')
