import { command } from '../../commandline/command.ts'
import { applyLimit } from '../../connection/send-request.ts'
import { toShownEntry, view } from './view.ts'

export const list = command({
  summary: 'List what was spent from this machine, or may have been, newest first',
  flags: [{ flags: '--open', describe: 'Only those whose outcome is not known' }],
  examples: ['', '--open --json'],
  view,
  async run(context, { flags }) {
    const open = flags.open === true
    const entries = applyLimit(context, (await context.journal()).list({ open }).toReversed()).map(toShownEntry)
    await context.out.list(entries, {
      view: open
        ? { ...view, empty: 'Nothing is open: the outcome of everything that was spent from here is known.' }
        : view,
    })
  },
})
