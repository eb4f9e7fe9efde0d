import { command } from '../../program/commandline/command.ts'
import { toShownEntry, view } from '../../program/operations/operation-view.ts'
import { applyLimit } from '../../program/output/print-list.ts'

export const list = command({
  summary: 'List operations in the journal of this machine, newest first',
  flags: [{ flags: '--open', describe: 'Only operations with an unknown outcome' }],
  isList: true,
  examples: ['', '--open --json'],
  notes:
    'When is the time of this computer, which moving the clock of the platform does not change. A call has the price of a minute as its amount, because its length is not known when it starts.',
  view,
  async run(context, { flags }) {
    const open = flags.open === true
    const entries = applyLimit(context, (await context.journal()).list({ open }).toReversed()).map(toShownEntry)
    await context.out.list(entries, {
      view: open ? { ...view, empty: 'No unresolved operations.' } : view,
    })
  },
})
