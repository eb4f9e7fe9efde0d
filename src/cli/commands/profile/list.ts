import { command } from '../../command.ts'
import { limited } from '../../requests.ts'
import { shownProfiles, view } from './view.ts'

export const list = command({
  summary: 'List profiles',
  examples: ['', '-o id'],
  view,
  async run(context) {
    await context.out.list(limited(context, shownProfiles(context)), { view })
    await (await import('../../profile-in-use.ts')).noteOverride(context)
  },
})
