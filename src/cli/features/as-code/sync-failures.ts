// What ends a pull or a push, and how it is said: conflicts, results that were not written, and errors of a file.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { mergeEntry, type SyncEntry } from './compare.ts'
import { conflictDetails } from './merged-entries.ts'
import type { PushResult } from './sync-view.ts'

/**
 * Rejects the run if any entry has a conflict. `diff` is the command that shows the differences; `sideFlag` is the flag
 * that takes one side.
 */
export function requireNoConflicts(entries: readonly SyncEntry[], diff: string, sideFlag: string): void {
  const both = entries.filter((it) => it.status === 'conflict')
  if (both.length === 0) return
  const describeEntry = (entry: SyncEntry): string => {
    const { file, local, remote } = entry
    const fields = [...new Set(mergeEntry(entry)?.conflicts.map(({ path }) => path.split('.', 1)[0]) ?? entry.fields)]
    return `${file}${!local ? ' (deleted locally)' : !remote ? ' (deleted remotely)' : fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  }
  const reason = both.some((it) => it.base)
    ? 'changed locally and remotely since the last sync'
    : 'different locally and remotely, and no earlier sync has the values'
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: `Conflict: ${reason}: ${both.map(describeEntry).join(', ')}. Nothing was changed.`,
    details: both.flatMap((it) => conflictDetails(it)),
    hint: `Show the differences: ${diff}. Then make both the same, or ${sideFlag}.`,
  })
}

/** Returns the exit code of a run with results that were not written: 5 if all of them were changed remotely during it. */
export function failureExit(results: readonly PushResult[]): 'conflict' | 'partial' | undefined {
  if (results.some((it) => it.done === 'failed')) return 'partial'
  return results.some((it) => it.done === 'conflict') ? 'conflict' : undefined
}

/** Formats an error without repetition: a message that is also in a field detail appears once, with the field. */
export function failureRemark({
  message: text,
  details,
  exit,
  hint,
}: Pick<ClientFailure, 'message' | 'details'> & Partial<Pick<ClientFailure, 'exit' | 'hint'>>): string {
  const message = exit === 'consent' && hint !== undefined ? `${text} ${hint}` : text
  const bare = (it: string): string => it.trim().replace(/\.$/, '')
  const detailLines = details.map((it) => `${it.path}: ${it.message}`)
  if (detailLines.length === 0 || detailLines.every((it) => message.includes(bare(it)))) return message
  if (details.some((it) => bare(it.message) === bare(message))) return detailLines.join(' ')
  return `${bare(message)}: ${detailLines.join(' ')}`
}

/** Adds the file name to a usage error. */
export async function namingFile<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof ClientFailure) || (error.exit !== 'usage' && error.code !== 'masked_value')) throw error
    const { exit, code, message, hint } = error
    throw new ClientFailure({ exit, code, message: `${path}: ${message}`, ...(hint !== undefined && { hint }) })
  })
}
