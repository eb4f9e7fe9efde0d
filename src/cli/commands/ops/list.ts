import { command } from '../../command.ts'
import { shown, view } from './view.ts'

export const list = command({
  summary: 'List what was spent from this machine, or may have been',
  flags: [{ flags: '--open', describe: 'Only those whose outcome is not known' }],
  examples: ['', '--open --json'],
  view,
  run: async (context, { flags }) => context.out.list((await context.journal()).list({ open: flags.open === true }).map(shown), { view }),
})
