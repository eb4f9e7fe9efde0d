import { command } from '../../command.ts'
import { applyLimit } from '../../requests.ts'
import { listProfiles, view } from './view.ts'

export const list = command({
  summary: 'List profiles',
  examples: ['', '-o id'],
  view,
  async run(context) {
    await context.out.list(applyLimit(context, listProfiles(context)), { view })
    await (await import('../../profile-in-use.ts')).noteProfileOverride(context)
  },
})
