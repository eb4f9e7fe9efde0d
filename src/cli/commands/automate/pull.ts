import { folderAt } from '../../as-code/folder.ts'
import { checkFlag, view } from '../../as-code/view.ts'
import { command } from '../../command.ts'
import { diffWords, folderFlag, forceRemote, layout } from './as-code.ts'

export const pull = command({
  asks: true,
  exits: ['finding'],
  summary: 'Keep the automations of the platform as YAML files',
  flags: [folderFlag, checkFlag, forceRemote],
  examples: ['', '--folder flows', '--check --json'],
  notes: `A file each, and parley.lock.json with ids beside them; secrets stay hidden. Files changed here are left alone, comments in files stay, and when anything was changed on both sides nothing is done (exit 5). "parley automate push" goes the other way; "parley pull" takes tools and assistants too.`,
  view,
  async run(context, { flags }) {
    const { pullFolder } = await import('../../as-code/pulling.ts')
    const folder = folderAt(context, flags.folder, 'automations')
    return pullFolder(context, {
      folder,
      layout: await layout(),
      check: flags.check === true,
      forced: flags.forceRemote === true,
      words: { push: 'parley automate push', diff: diffWords },
    })
  },
})
