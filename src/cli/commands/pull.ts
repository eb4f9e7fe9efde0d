import { forceRemoteFlag } from '../as-code/automation-layout.ts'
import { folderArgument, onlyFlag, parseLayout, projectFolder } from '../as-code/project-layout.ts'
import { checkFlag, syncView } from '../as-code/sync-view.ts'
import { command } from '../commandline/command.ts'

export const pull = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Keep assistants, tools and automations of the platform as one folder of YAML files',
  argument: folderArgument,
  flags: [onlyFlag, checkFlag, forceRemoteFlag],
  examples: ['', 'practice', 'practice --only assistants,tools', '--check --json'],
  notes: `A file each, in assistants/, tools/ and automations/, and parley.lock.json with their ids beside them. Things point to each other, and to voices, languages and models, by name. Secrets are never written: a reference such as \${CRM_API_KEY} stands there. Comments and the order of lines in files stay. Files changed here are left alone; when anything was changed on both sides nothing is done (exit 5).`,
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
