import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../../program/commandline/command.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { forceRemoteFlag } from './automation-layout.ts'
import { isProject } from './missing-folder.ts'
import { folderArgument, onlyFlag, parseSelection } from './project-layout.ts'
import { pullFolder } from './pull-folder.ts'
import { checkFlag, syncView } from './sync-view.ts'

export const pull = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Export the platform to a folder of YAML files',
  argument: folderArgument,
  flags: [onlyFlag, checkFlag, forceRemoteFlag],
  examples: ['', 'practice', 'practice --only assistants,tools', 'assistants/front-desk', '--check --json'],
  notes: `Writes one file for each resource that can be written, in one folder for each kind (assistants/, tools/, automations/, campaigns/, knowledge/, folders/, labels/, sip-trunks/, numbers/, senders/), and parley.lock.json with their ids. Files reference each other, voices, languages and models by name. Secrets are never written, only references such as \${CRM_API_KEY}. Campaigns are written without their leads, and documents of knowledge bases without their content, which the platform does not return. Senders are written with their assistants, on a Parley server only. Comments and the order of lines are preserved. Files that you changed are not overwritten. Local and remote changes of different fields since the last sync are merged and printed. When both changed one field, all three values are shown and nothing is written (exit code 5). --force-remote prints each local value that it overwrites, saves a copy of the file, and prints the command that restores it.`,
  view: syncView,
  async run(context, { words: given, flags }) {
    const { folder, layout, words } = await parseSelection(context, given, flags.only, flags.check !== true)
    const { cwd } = context.system
    if (folder === join(cwd, 'parley') && !existsSync(folder) && isProject(cwd))
      throw usageError(
        'The current folder is a project.',
        `To update it: parley pull .${words}. To create another one in it: parley pull <folder>.`,
      )
    return pullFolder(context, {
      folder,
      layout,
      check: flags.check === true,
      forced: flags.forceRemote === true,
      words: { push: `parley push${words}`, diff: `parley diff${words}` },
    })
  },
})
