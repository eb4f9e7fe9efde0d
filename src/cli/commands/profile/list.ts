import { command } from '../../command.ts'
import { shownProfiles, view } from './view.ts'

export const list = command({
  summary: 'List profiles',
  examples: ['', '-o id'],
  view,
  run: async (context) => context.out.list(shownProfiles(context), { view }),
})
