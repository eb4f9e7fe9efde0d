import { automationDiffCommand, automationLayout, folderFlag, forceLocalFlag } from '../../as-code/automation-layout.ts'
import { resolveFolder } from '../../as-code/compare-folder.ts'
import { pushResultView } from '../../as-code/push-result.ts'
import { pushCheckFlag } from '../../as-code/sync-view.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../../automations/write-flags.ts'
import { command } from '../../commandline/command.ts'

export const push = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Make the automations of the platform as the files are',
  risk: 'outside',
  flags: [
    folderFlag,
    pushCheckFlag,
    forceLocalFlag,
    { flags: '--delete', describe: 'Delete automations whose file is gone; they are left alone otherwise' },
    { flags: '--confirm-side-effects', describe: 'Allow the test to send real messages and place real callss' },
    skipLocalTestFlag,
    noRollbackFlag,
    { flags: '--confirm <name>', describe: 'Name of a protected profile, as consent' },
  ],
  examples: ['', '--check --json', '--folder flows --confirm-side-effects'],
  notes: `Each definition is tested before it goes live, as with create and update; a hidden secret stays the one there is. What was changed or deleted on the platform alone is shown with both values and, with consent (--yes without a terminal), made as the files are. When anything was changed on both sides nothing is done (exit 5). Automations without a file are listed and left alone; with --delete the exit code is 20 while there are any that never had a file. After a push that ends with 0, --check finds nothing to do. Each file is done by itself: what was done is remembered, and a second run goes on with the rest (exit 11 when some failed, 20 when a test did).`,
  view: pushResultView,
  supportsPreview: true,
  async run(context, { flags }) {
    const { pushFolder } = await import('../../as-code/push-folder.ts')
    return pushFolder(context, {
      folder: resolveFolder(context, flags.folder, 'automations'),
      layout: await automationLayout(),
      check: flags.check === true,
      forced: flags.forceLocal === true,
      prunes: flags.delete === true,
      options: parseWriteOptions(flags),
      confirm: flags.confirm as string | undefined,
      words: { pull: 'parley automate pull', diff: automationDiffCommand, prune: '--delete' },
    })
  },
})
