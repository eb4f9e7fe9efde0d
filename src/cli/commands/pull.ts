import { checkFlag, view } from '../as-code/view.ts'
import { command } from '../command.ts'
import { argument, folderOf, layoutOf, only } from './as-code.ts'
import { forceRemote } from './automate/as-code.ts'

export const pull = command({
  asks: true,
  exits: ['finding'],
  summary: 'Keep assistants, tools and automations of the platform as one folder of YAML files',
  argument,
  flags: [only, checkFlag, forceRemote],
  examples: ['', 'practice', 'practice --only assistants,tools', '--check --json'],
  notes: `A file each, in assistants/, tools/ and automations/, and parley.lock.json with their ids beside them. Things point to each other, and to voices, languages and models, by name. Secrets are never written: a reference such as \${CRM_API_KEY} stands there. Comments and the order of lines in files stay. Files changed here are left alone; when anything was changed on both sides nothing is done (exit 5).`,
  view,
  async run(context, { argument: given, flags }) {
    const layout = await layoutOf(flags.only)
    const { pullFolder } = await import('../as-code/pulling.ts')
    const named = given === undefined ? '' : ` ${given}`
    const folder = folderOf(context, given)
    return pullFolder(context, {
      folder,
      layout,
      check: flags.check === true,
      forced: flags.forceRemote === true,
      words: { push: `parley push${named}`, diff: `parley diff${named}` },
    })
  },
})
