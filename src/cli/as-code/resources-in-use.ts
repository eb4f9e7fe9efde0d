import { consentError } from '../errors/usage-error.ts'
import type { SyncEntry } from './compare-folder.ts'

/** Things that cannot go just like that, with what relies on each, a sentence each. */
export type ResourcesInUse = ReadonlyMap<SyncEntry, readonly string[]>

/** The command that deletes a thing by itself. */
export const deleteCommand = ({ kind, id }: SyncEntry): string => `parley ${kind.noun} delete ${id}`

/** @throws ClientFailure exit 10 for things in use, unless there is one and its name was given */
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
