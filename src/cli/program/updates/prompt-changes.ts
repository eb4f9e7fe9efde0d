import type { CommandInput } from '../commandline/command.ts'
import { fieldFlags } from '../commandline/field-flags.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptField } from '../prompts/prompt-fields.ts'

/** Rejects an update without fields if there is nowhere to prompt. */
export function requireChanges({ interactive }: Context, given: CommandInput, hint: string): void {
  if (Object.keys(given).length === 0 && !interactive) throw usageError('Missing fields to change.', hint)
}

/** Returns the given fields, or fields chosen and entered in prompts. */
export async function promptChanges(context: Context, given: CommandInput): Promise<CommandInput> {
  if (Object.keys(given).length > 0) return given
  const prompts = await context.prompts()
  const changes: CommandInput = {}
  for (;;) {
    const left = fieldFlags(context.command).filter(({ field }) => !Object.hasOwn(changes, field))
    const fields = left.map((it) => ({ value: it, name: it.long.slice(2), description: it.describe }))
    const hasChanges = Object.keys(changes).length > 0
    const offered = hasChanges
      ? [{ value: undefined, name: 'done', description: 'Send the changes' }, ...fields]
      : fields
    const picked = await prompts.select(hasChanges ? 'Which other field?' : 'Which field should change?', offered, {
      searchable: true,
    })
    if (!picked) return changes
    changes[picked.field] = await promptField(context, picked)
  }
}
