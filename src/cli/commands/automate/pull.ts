import {
  automationDiffCommand,
  automationLayout,
  folderFlag,
  forceRemoteFlag,
} from '../../as-code/automation-layout.ts'
import { resolveFolder } from '../../as-code/compare-folder.ts'
import { checkFlag, syncView } from '../../as-code/sync-view.ts'
import { command } from '../../commandline/command.ts'

export const pull = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Keep the automations of the platform as YAML files',
  flags: [folderFlag, checkFlag, forceRemoteFlag],
  examples: ['', '--folder flows', '--check --json'],
  notes: `A file each, and parley.lock.json with ids beside them; secrets stay hidden. Files changed here are left alone, comments in files stay, and when anything was changed on both sides nothing is done (exit 5). "parley automate push" goes the other way; "parley pull" takes tools and assistants too.`,
  view: syncView,
  async run(context, { flags }) {
    const { pullFolder } = await import('../../as-code/pull-folder.ts')
    const folder = resolveFolder(context, flags.folder, 'automations')
    return pullFolder(context, {
      folder,
      layout: await automationLayout(),
      check: flags.check === true,
      forced: flags.forceRemote === true,
      words: { push: 'parley automate push', diff: automationDiffCommand },
    })
  },
})
