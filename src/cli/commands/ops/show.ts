import { command } from '../../commandline/command.ts'
import { entryArgument, resolveEntry } from '../../operations/resolve-entry.ts'
import { isUnresolved, view } from './view.ts'

export const show = command({
  exits: ['not_found'],
  summary: 'Show an operation: request, key and outcome',
  argument: entryArgument,
  examples: ['0c9a4f12', '0c9a4f12 --json'],
  view,
  async run(context, { argument }) {
    const entry = await resolveEntry(context, argument)
    await context.out.record(entry, { view })
    if (isUnresolved(entry)) await context.notes.note('Resolve it: parley ops reconcile')
  },
})
