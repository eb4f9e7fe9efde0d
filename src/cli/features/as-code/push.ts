import { command } from '../../program/commandline/command.ts'
import { forceFlag } from '../../program/commandline/field-flags.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../automations/write-flags.ts'
import { forceLocalFlag } from './automation-layout.ts'
import { folderArgument, onlyFlag, parseSelection } from './project-layout.ts'
import { pushFolder } from './push-folder.ts'
import { pushResultView } from './push-result.ts'
import { pushCheckFlag } from './sync-view.ts'

export const push = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Apply local YAML files to the platform',
  argument: folderArgument,
  risk: 'outside',
  supportsPreview: true,
  flags: [
    onlyFlag,
    pushCheckFlag,
    forceLocalFlag,
    forceFlag,
    { flags: '--prune', describe: 'Delete resources whose file was deleted' },
    {
      flags: '--confirm-side-effects',
      describe: 'Allow test steps of automations that send messages or place calls',
    },
    skipLocalTestFlag,
    noRollbackFlag,
    {
      flags: '--confirm <name>',
      describe: 'Name of the protected profile, or of the one resource in use that --prune deletes, to confirm',
    },
  ],
  examples: [
    '',
    'practice --dry-run',
    'practice --check --json',
    'practice --prune --yes',
    'assistants/front-desk.yaml',
  ],
  notes: `Applies referenced resources first and deletions last. A folder that an earlier version of Parley exported covers tools, assistants and automations only, until you export it again. Numbers are never bought or released, senders are never connected or removed, and campaigns are created as drafts and never started. The plan is printed first. Only fields that differ are sent; a field that was removed from its file is cleared. References to secrets are filled from the environment, and masked values keep their live value. Remote changes and deletions are shown with both values and overwritten after you confirm (--yes without a terminal). Local and remote changes of different fields since the last sync are merged, printed, sent, and written to the file. When both changed one field, all three values are shown and nothing is sent (exit code 5). --force-local does not ask about these conflicts, and prints each value that it overwrites. Each resource is read again right before it is written: one that was changed during the command is not written, and its result is "conflict" (exit code 5). Resources without a file are listed and not deleted. --prune deletes those whose file was deleted; the exit code is 20 while there are resources that never had a file.
After a push that ends with exit code 0, --check finds no differences. Progress is saved for each file. Running the same command again resumes with the remaining files (exit code 11 when some failed, 20 when the test of an automation failed). In another account, resources are matched by name.`,
  view: pushResultView,
  async run(context, { words: given, flags }) {
    const { folder, layout, words } = await parseSelection(context, given, flags.only)
    return pushFolder(context, {
      folder,
      layout,
      check: flags.check === true,
      forced: flags.forceLocal === true,
      prunes: flags.prune === true,
      options: parseWriteOptions(flags),
      confirm: flags.confirm as string | undefined,
      words: {
        pull: `parley pull${words}`,
        diff: `parley diff${words}`,
        here: `parley push .${words}`,
        prune: '--prune',
      },
    })
  },
})
