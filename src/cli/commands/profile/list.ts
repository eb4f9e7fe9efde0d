import { command } from '../../command.ts'
import { limited } from '../../requests.ts'
import { shownProfiles, view } from './view.ts'

export const list = command({
  summary: 'List profiles',
  examples: ['', '-o id'],
  view,
  run: async (context) => context.out.list(limited(context, shownProfiles(context)), { view }),
})
