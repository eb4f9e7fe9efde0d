import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Target } from '../resources/resource.ts'
import { findInList, type ResolveOptions, resolveForUpdate } from '../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../updates/prompt-changes.ts'
import { applyUpdate } from '../updates/send-update.ts'
import { type Command, command } from './command.ts'

interface UpdateDefinition extends Omit<Command, 'run'> {
  readonly endpoint: Endpoint
  readonly target: Target
  /** Reads the resource (default: from its list). */
  readonly read?: ResolveOptions<ResourceRecord>['read']
  /** Hint of the error for an update without fields. */
  readonly changesHint: string
  /** Returns the next useful command. */
  readonly next: (id: number) => string
}

/** Creates the command that updates a resource and prints what changed. */
export const updateCommand = ({ target, read, changesHint, next, ...definition }: UpdateDefinition): Command =>
  command({
    ...definition,
    async run(context, { argument, input }) {
      requireChanges(context, input, changesHint)
      const { id, previous } = await resolveForUpdate(context, argument, target, { read: read ?? findInList(target) })
      await applyUpdate(context, {
        endpoint: definition.endpoint,
        ids: { id },
        change: await promptChanges(context, input),
        previous,
        next: next(id),
      })
    },
  })
