import { forceLocalFlag } from '../as-code/automation-layout.ts'
import { folderArgument, onlyFlag, parseLayout, projectFolder } from '../as-code/project-layout.ts'
import { pushResultView } from '../as-code/push-result.ts'
import { pushCheckFlag } from '../as-code/sync-view.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../automations/write-flags.ts'
import { command } from '../commandline/command.ts'

export const push = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Make assistants, tools and automations of the platform as the files are',
  argument: folderArgument,
  risk: 'outside',
  supportsPreview: true,
  flags: [
    onlyFlag,
    pushCheckFlag,
    forceLocalFlag,
    { flags: '--prune', describe: 'Delete things whose file is gone; they are left alone otherwise' },
    {
      flags: '--confirm-side-effects',
      describe: 'Steps of automations that really send or call may run in their tests',
    },
    skipLocalTestFlag,
    noRollbackFlag,
    {
      flags: '--confirm <name>',
      describe: 'Name of a protected profile, or of the one thing in use that --prune deletes, as consent',
    },
  ],
  examples: ['', 'practice --dry-run', 'practice --check --json', 'practice --prune --yes'],
  notes: `What will be done is told first: tools, then assistants, then automations; deletions last. Only fields that differ are sent; one that was taken out of its file is cleared. References to secrets are filled from the environment, and a hidden value stays the one there is. What was changed or deleted on the platform alone is shown with both values and, with consent (--yes without a terminal), made as the files are. When anything was changed on both sides nothing is done (exit 5). Things without a file are listed and left alone; with --prune the exit code is 20 while there are any that never had a file.
After a push that ends with 0, --check finds nothing to do. Each file is done by itself and remembered: a second run goes on with the rest (exit 11 when some failed, 20 when the test of an automation did). In another account things are found by their names.`,
  view: pushResultView,
  async run(context, { argument: given, flags }) {
    const layout = await parseLayout(flags.only)
    const { pushFolder } = await import('../as-code/push-folder.ts')
    const named = given === undefined ? '' : ` ${given}`
    return pushFolder(context, {
      folder: projectFolder(context, given),
      layout,
      check: flags.check === true,
      forced: flags.forceLocal === true,
      prunes: flags.prune === true,
      options: parseWriteOptions(flags),
      confirm: flags.confirm as string | undefined,
      words: { pull: `parley pull${named}`, diff: `parley diff${named}`, prune: '--prune' },
    })
  },
})
