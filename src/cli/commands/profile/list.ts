import { command } from '../../commandline/command.ts'
import { applyLimit } from '../../output/print-list.ts'
import { listProfiles, view } from './view.ts'

export const list = command({
  summary: 'List profiles',
  isList: true,
  examples: ['', '-o id'],
  view,
  async run(context) {
    await context.out.list(applyLimit(context, listProfiles(context)), { view })
    await (await import('../../configuration/active-profile.ts')).noteProfileOverride(context)
  },
})
