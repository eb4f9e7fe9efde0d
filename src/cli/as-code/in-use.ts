import { needsConsent } from '../usage.ts'
import type { Entry } from './folder.ts'

/** Things that cannot go just like that, with what relies on each, a sentence each. */
export type InUse = ReadonlyMap<Entry, readonly string[]>

/** The command that deletes a thing by itself. */
export const deletionOf = ({ kind, id }: Entry): string => `parley ${kind.noun} delete ${id}`

/** @throws ClientFailure exit 10 for things in use, unless there is one and its name was given */
export function refuseInUse(inUse: InUse, confirm: string | undefined): void {
  const [first, ...others] = [...inUse.keys()]
  if (!first || (others.length === 0 && confirm === first.name)) return
  const told = [...inUse].map(([{ kind, name }, uses]) => `The ${kind.thing} "${name}" is in use. ${uses.join(' ')}`)
  throw needsConsent(
    `Nothing was done.\n${told.join('\n')}`,
    others.length === 0
      ? `Add --confirm ${JSON.stringify(first.name)} to agree, or delete it by itself: ${deletionOf(first)}`
      : `Delete them one by one: ${[first, ...others].map(deletionOf).join(', ')}. Or bring back their files.`,
  )
}
