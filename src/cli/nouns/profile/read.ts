import { command } from '../../program/commandline/command.ts'
import { noteProfileOverride } from '../../program/configuration/active-profile.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { listProfiles, view } from './view.ts'

/** Command `profile list`, which only reads. Scripts read the names of profiles with `-o id`, or `ShownProfile` as JSON. */
export const list = command({
  summary: 'List profiles',
  isList: true,
  examples: ['', '-o id'],
  view,
  async run(context) {
    await context.out.list(applyLimit(context, await listProfiles(context)), { view })
    await noteProfileOverride(context)
  },
})
