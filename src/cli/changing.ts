import type { Input } from './command.ts'
import type { Context } from './context.ts'
import { askField } from './missing.ts'
import { fieldFlags } from './options.ts'
import { usage } from './usage.ts'

/** Refuses an update that changes nothing where nobody can be asked what to change. */
export function refuseNothing({ interactive }: Context, given: Input, hint: string): void {
  if (Object.keys(given).length === 0 && !interactive) throw usage('Nothing to change was given.', hint)
}

/** What to change: what was given, or on a terminal fields that are picked and asked for until that is all. */
export async function askChanges(context: Context, given: Input): Promise<Input> {
  if (Object.keys(given).length > 0) return given
  const prompts = await context.prompts()
  const changes: Input = {}
  for (;;) {
    const left = fieldFlags(context.command).filter(({ field }) => !Object.hasOwn(changes, field))
    const fields = left.map((it) => ({ value: it, name: it.long.slice(2), description: it.describe }))
    const isBegun = Object.keys(changes).length > 0
    const offered = isBegun ? [{ value: undefined, name: 'nothing more', description: 'Change it so' }, ...fields] : fields
    const picked = await prompts.select(isBegun ? 'What else?' : 'What to change?', offered, { searchable: true })
    if (!picked) return changes
    changes[picked.field] = await askField(context, picked)
  }
}
