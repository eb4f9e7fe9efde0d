import type { PlannedSteps } from '../../../contract/resources/approvals.ts'
import type { SyncEntry } from './compare.ts'

/** Requests that a write of one automation makes at most: disabling, replacing, enabling. */
const maxRequests = 3
/** Documents of one knowledge base that are deleted at most. */
const maxDocuments = 1000

/**
 * Returns what a push or promotion does, for approval: the content of every file that is applied, with names and references in
 * place of ids and secrets. Bodies are built from it when ids are known.
 */
export function plannedSteps(written: readonly SyncEntry[], removals: readonly SyncEntry[]): PlannedSteps {
  const allows: Record<string, number> = {}
  const allow = (name: string, count: number): void => {
    allows[name] = (allows[name] ?? 0) + count
  }
  for (const { kind } of written) {
    if (kind.resourceKind === 'automate') {
      allow('automate.create', 1)
      allow('automate.update', maxRequests)
    }
    // Documents that a file no longer has are deleted.
    if (kind.resourceKind === 'knowledge') allow('knowledge.deleteDocument', maxDocuments)
  }
  for (const { kind } of removals) allow(`${kind.resourceKind}.delete`, 1)
  const describe = ({ file, local, remote }: SyncEntry) => ({
    file,
    action: local ? (remote ? 'update' : 'create') : 'delete',
    content: local?.content ?? null,
  })
  return { content: [...written, ...removals].map(describe), allows }
}

/** Returns the files of entries for a sentence, at most ten by name. */
export const fileList = (entries: readonly SyncEntry[]): string => {
  const names = entries.slice(0, 10).map((it) => it.file)
  return [...names, ...(entries.length > 10 ? [`${entries.length - 10} more`] : [])].join(', ')
}
