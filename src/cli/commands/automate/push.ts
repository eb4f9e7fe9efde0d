import { folderAt } from '../../as-code/folder.ts'
import { pushedView } from '../../as-code/pushed.ts'
import { pushCheckFlag } from '../../as-code/view.ts'
import { noRollback, skipLocalTest, writeOptions } from '../../automations/flags.ts'
import { command } from '../../command.ts'
import { diffWords, folderFlag, forceLocal, layout } from './as-code.ts'

export const push = command({
  asks: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Make the automations of the platform as the files are',
  risk: 'outside',
  flags: [
    folderFlag,
    pushCheckFlag,
    forceLocal,
    { flags: '--delete', describe: 'Delete automations whose file is gone; they are left alone otherwise' },
    { flags: '--confirm-side-effects', describe: 'Steps that really send or call may run in the tests' },
    skipLocalTest,
    noRollback,
    { flags: '--confirm <name>', describe: 'Name of a protected profile, as consent' },
  ],
  examples: ['', '--check --json', '--folder flows --confirm-side-effects'],
  notes: `Each definition is tested before it goes live, as with create and update; a hidden secret stays the one there is. What was changed or deleted on the platform alone is shown with both values and, with consent (--yes without a terminal), made as the files are. When anything was changed on both sides nothing is done (exit 5). Automations without a file are listed and left alone; with --delete the exit code is 20 while there are any that never had a file. After a push that ends with 0, --check finds nothing to do. Each file is done by itself: what was done is remembered, and a second run goes on with the rest (exit 11 when some failed, 20 when a test did).`,
  view: pushedView,
  shows: true,
  async run(context, { flags }) {
    const { pushFolder } = await import('../../as-code/pushing.ts')
    return pushFolder(context, {
      folder: folderAt(context, flags.folder, 'automations'),
      layout: await layout(),
      check: flags.check === true,
      forced: flags.forceLocal === true,
      prunes: flags.delete === true,
      options: writeOptions(flags),
      confirm: flags.confirm as string | undefined,
      words: { pull: 'parley automate pull', diff: diffWords, prune: '--delete' },
    })
  },
})
