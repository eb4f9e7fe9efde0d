import { decidedByAutomation, type Tool, tools } from '../../../contract/tools.ts'
import { readsPulled } from '../../as-code/pulled-fields.ts'
import { type Known, readBefore, resolveThing } from '../../before.ts'
import { askChanges, refuseNothing } from '../../changing.ts'
import { command, type Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { editFlag, editRecord } from '../../edit.ts'
import { printUpdated, sendUpdate } from '../../updating.ts'
import { maskedTool, withCredentials } from './secrets.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: tools.update,
  reads: readsPulled({ kind: async () => (await import('../../as-code/kinds/tools.ts')).tools, update: tools.update, keepsReadOnly: true }),
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [editFlag],
  examples: ['1 --tool-timeout 20', 'lookup_patient --description "Find a patient by phone number."', '1 --file tool.yaml', '1 --edit'],
  notes: 'Only what is given changes. Headers, static fields and the schema are replaced as whole lists.',
  view,
  async run(context, { argument, input: given, flags }) {
    if (!flags.edit) refuseNothing(context, given, 'Give at least one field as a flag, with --set, with --file, or --edit.')
    const { id, seen } = await resolveThing(context, argument, target)
    const read = ({ call }: Context): Promise<Tool> => call(tools.get, { id })
    const before = flags.edit ? await read(context) : await readBefore(context, seen, read)
    const send = (change: Input): Promise<void> => changeTool(context, { id, change, before })
    await (flags.edit && before
      ? editRecord(context, { endpoint: tools.update, id, record: maskedTool(before as Tool), given, send })
      : send(await askChanges(context, given)))
  },
})

async function changeTool(context: Context, { id, change: given, before }: { id: number; change: Input; before: Known | undefined }): Promise<void> {
  const change = context.globals.printCurl ? given : await withCredentials(context, id, given)
  const answer = await sendUpdate(context, { endpoint: tools.update, ids: { id }, change, before })
  if (!answer) return
  const ignored = decidedByAutomation.filter((field) => change[field] !== undefined && answer.data.type === 'automation')
  for (const field of ignored) context.ignored.delete(field)
  if (ignored.length > 0) await context.notes.warn(`The automation behind this tool decides ${ignored.join(', ')}: not changed.`)
  await printUpdated(context, answer, { endpoint: tools.update, change, before, next: `parley tools get ${id}` })
}
