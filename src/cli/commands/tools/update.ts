import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { editFlag, editRecord } from '../../edit.ts'
import { replacesLists, tellReplaced } from '../../replaced.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { target, view } from './view.ts'

/** What an automation decides for the tools it is behind (section 2.2). */
const decided = ['endpoint', 'method', 'body_format'] as const

export const update = command({
  endpoint: tools.update,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [editFlag],
  examples: ['1 --tool-timeout 20', 'lookup_patient --description "Find a patient by phone number."', '1 --file tool.yaml', '1 --edit'],
  notes: 'Only what is given changes. Headers, static fields and the schema are replaced as whole lists.',
  view,
  async run(context, { argument, input: given, flags }) {
    if (Object.keys(given).length === 0 && !flags.edit)
      throw usage('Nothing to change was given.', 'Give at least one field as a flag, with --set, with --file, or --edit.')
    const id = await resolveId(context, argument, target)
    const before = flags.edit || replacesLists(context, given) ? await context.call(tools.get, { id }) : undefined
    const input = flags.edit && before ? await editRecord(context, tools.update, before, given) : given
    if (before) await tellReplaced(context, before, input)
    const answer = await send(context, tools.update, { ...input, id })
    if (!answer) return
    const ignored = decided.filter((field) => input[field] !== undefined && answer.data.type === 'automation')
    if (ignored.length > 0) await context.notes.warn(`The automation behind this tool decides ${ignored.join(', ')}: not changed.`)
    await printMade(context, answer.message, answer.data, `parley tools get ${id}`)
  },
})
