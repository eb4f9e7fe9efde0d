import { forceRemoteFlag } from '../as-code/automation-layout.ts'
import { folderArgument, onlyFlag, parseLayout, projectFolder } from '../as-code/project-layout.ts'
import { checkFlag, syncView } from '../as-code/sync-view.ts'
import { command } from '../commandline/command.ts'

export const pull = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Export the platform to a folder of YAML files',
  argument: folderArgument,
  flags: [onlyFlag, checkFlag, forceRemoteFlag],
  examples: ['', 'practice', 'practice --only assistants,tools', '--check --json'],
  notes: `Writes one file for each assistant, tool and automation to assistants/, tools/ and automations/, and parley.lock.json with their ids. Files reference each other, voices, languages and models by name. Secrets are never written, only references such as \${CRM_API_KEY}. Comments and the order of lines are preserved. Files that you changed are not overwritten. When a resource was changed both locally and remotely, nothing is written (exit code 5).`,
  view: syncView,
  async run(context, { argument: given, flags }) {
    const layout = await parseLayout(flags.only)
    const { pullFolder } = await import('../as-code/pull-folder.ts')
    const named = given === undefined ? '' : ` ${given}`
    const folder = projectFolder(context, given)
    return pullFolder(context, {
      folder,
      layout,
      check: flags.check === true,
      forced: flags.forceRemote === true,
      words: { push: `parley push${named}`, diff: `parley diff${named}` },
    })
  },
})
