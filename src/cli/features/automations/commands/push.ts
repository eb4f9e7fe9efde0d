import { command } from '../../../program/commandline/command.ts'
import { forceFlag } from '../../../program/commandline/field-flags.ts'
import { resolveFolder } from '../../as-code/compare-folder.ts'
import { pushFolder } from '../../as-code/push.ts'
import { folderFlag, forceLocalFlag, pushCheckFlag } from '../../as-code/sync-flags.ts'
import { pushResultView } from '../../as-code/sync-view.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../write-flags.ts'
import { automationDiffCommand, automationLayout } from './automation-layout.ts'

export const push = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Apply automations from YAML files to the platform',
  risk: 'outside',
  flags: [
    folderFlag,
    pushCheckFlag,
    forceLocalFlag,
    forceFlag,
    { flags: '--prune', describe: 'Delete automations whose file was deleted' },
    { flags: '--delete', describe: 'Same as --prune', hidden: true },
    // parseWriteOptions of write-flags.ts reads it by this name.
    { flags: '--confirm-side-effects', describe: 'Allow test steps that send messages or place calls' },
    skipLocalTestFlag,
    noRollbackFlag,
    { flags: '--confirm <name>', describe: 'Name of the protected profile, to confirm' },
  ],
  examples: ['', '--check --json', '--folder flows --confirm-side-effects'],
  notes: `Each definition is tested before it goes live, as with create and update. Masked secrets keep their live value. Remote changes and deletions are shown with both values and overwritten after you confirm (--yes without a terminal). Local and remote changes of different steps since the last sync are merged, printed, tested, and written to the file. Two changes of one step or of the order of steps are a conflict: all three values are shown and nothing is sent (exit code 5). --force-local does not ask about these conflicts, and prints each value that it overwrites. Automations without a file are listed and not deleted. --prune deletes those whose file was deleted; the exit code is 20 while there are automations that never had a file. After a push that ends with exit code 0, --check finds no differences. Progress is saved for each file. Running the same command again resumes with the remaining files (exit code 11 when some failed, 20 when a test failed).`,
  view: pushResultView,
  supportsPreview: true,
  async run(context, { flags }) {
    return pushFolder(context, {
      folder: resolveFolder(context, flags.folder, 'automations'),
      layout: automationLayout,
      check: flags.check === true,
      forced: flags.forceLocal === true,
      prunes: flags.prune === true || flags.delete === true,
      options: parseWriteOptions(flags),
      confirm: flags.confirm as string | undefined,
      words: {
        pull: 'parley automate pull',
        diff: automationDiffCommand,
        here: 'parley automate push --folder .',
        prune: '--prune',
      },
    })
  },
})
