import { command } from '../../../program/commandline/command.ts'
import { resolveFolder } from '../../as-code/compare-folder.ts'
import { pullFolder } from '../../as-code/pull.ts'
import { checkFlag, folderFlag, forceRemoteFlag } from '../../as-code/sync-flags.ts'
import { syncView } from '../../as-code/sync-view.ts'
import { automationDiffCommand, automationLayout } from './automation-layout.ts'

export const pull = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Export automations to YAML files',
  flags: [folderFlag, checkFlag, forceRemoteFlag],
  examples: ['', '--folder flows', '--check --json'],
  notes: `Writes one file for each automation, and parley.lock.json with their ids. Secrets stay masked. Files that you changed are not overwritten, and comments in files are preserved. Local and remote changes of different steps since the last sync are merged and printed. Two changes of one step or of the order of steps are a conflict: all three values are shown and nothing is written (exit code 5). Use "parley automate push" to apply the files, and "parley pull" to export tools and assistants too.`,
  view: syncView,
  async run(context, { flags }) {
    const folder = resolveFolder(context, flags.folder, 'automations')
    return pullFolder(context, {
      folder,
      layout: automationLayout,
      check: flags.check === true,
      forced: flags.forceRemote === true,
      addsSchemaLines: false,
      words: { push: 'parley automate push', diff: automationDiffCommand },
    })
  },
})
