import { consentError } from '../errors/usage-error.ts'
import type { SyncEntry } from './compare-folder.ts'

/** Resources that cannot be deleted without confirmation, each with sentences about what uses it. */
export type ResourcesInUse = ReadonlyMap<SyncEntry, readonly string[]>

/** Returns the command that deletes one resource. */
export const deleteCommand = ({ kind, id }: SyncEntry): string => `parley ${kind.noun} delete ${id}`

/**
 * Rejects the deletion of resources in use, unless there is only one and `confirm` is its name. @throws ClientFailure
 * exit 10
 */
export function rejectInUse(inUse: ResourcesInUse, confirm: string | undefined): void {
  const [first, ...others] = [...inUse.keys()]
  if (!first || (others.length === 0 && confirm === first.name)) return
  const details = [...inUse].map(
    ([{ kind, name }, uses]) => `The ${kind.singular} "${name}" is in use. ${uses.join(' ')}`,
  )
  throw consentError(
    `Nothing was done.\n${details.join('\n')}`,
    others.length === 0
      ? `Pass --confirm ${JSON.stringify(first.name)}, or delete it separately: ${deleteCommand(first)}`
      : `Delete them one by one: ${[first, ...others].map(deleteCommand).join(', ')}. Or restore their files.`,
  )
}
