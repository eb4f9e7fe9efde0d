import { command } from '../../program/commandline/command.ts'
import { toShownEntry, view } from '../../program/operations/operation-view.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { listPending, pendingView } from './pending-view.ts'

/**
 * Command `ops list`. Without --pending it reads the journal of this machine, and no platform. Scripts read the fields of `ShownEntry`, and
 * with --pending those of `ListedPending`; the views are for people.
 */
export const list = command({
  callsPlatform: true,
  summary: 'List operations in the journal of this machine, newest first',
  flags: [
    { flags: '--open', describe: 'Only operations with an unknown outcome' },
    {
      flags: '--pending',
      describe: 'List the operations that wait for the approval of a person instead, with those decided',
    },
  ],
  isList: true,
  examples: ['', '--open --json', '--pending'],
  notes:
    'When is the time of this computer, which moving the clock of the platform does not change. A call has the price of a minute as its amount, because its length is not known when it starts.',
  view,
  otherView: pendingView,
  async run(context, { flags }) {
    if (flags.pending) return context.out.list(applyLimit(context, await listPending(context)), { view: pendingView })
    const open = flags.open === true
    const entries = applyLimit(context, (await context.journal()).list({ open }).toReversed()).map(toShownEntry)
    await context.out.list(entries, {
      view: open ? { ...view, empty: 'No unresolved operations.' } : view,
    })
  },
})
