import { type Assistant, assistants } from '../../../contract/assistants.ts'
import { readsPulled } from '../../as-code/pulled-fields.ts'
import { readBefore, resolveThing } from '../../before.ts'
import { askChanges, refuseNothing } from '../../changing.ts'
import { command, type Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { editFlag, editRecord } from '../../edit.ts'
import { printUpdated, sendUpdate } from '../../updating.ts'
import { addTool, editedTools, editsTools, removeTool } from './mid-call-tools.ts'
import { editable, findAssistant, fromFile } from './record.ts'
import { hasMask, masked, unmasked } from './secrets.ts'
import { meaningful, tellMeaningless, tellReset } from './settings-told.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: assistants.update,
  reads: readsPulled({ kind: async () => (await import('../../as-code/kinds/assistants.ts')).assistants, update: assistants.update, readOnly: ['status'] }),
  argument,
  flags: [addTool, removeTool, editFlag],
  examples: ['1 --max-duration 300', '"Front desk" --add-tool quote_treatment', '1 --mode multimodal --multimodal-model-id 21 --voice-id 43', '1 --edit'],
  notes:
    'Only what is given changes. Another mode takes the settings that depend on it back to their defaults and needs its model in the same command. Lists, variables and filler words are replaced as a whole.',
  view,
  async run(context, { argument, input, flags }) {
    const given = fromFile(input, flags, assistants.update)
    const edits = editsTools(flags, given)
    if (!flags.edit && !edits) refuseNothing(context, given, 'Give at least one field as a flag, with --set, with --file, or --edit.')
    const { id, seen } = await resolveThing(context, argument, target)
    const known = seen as Assistant | undefined
    const read = (from: Context): Promise<Assistant> => findAssistant(from, String(id))
    const isNeeded = flags.edit || edits || hasMask(given) || (given.mode !== undefined && context.out.settings.form === 'table')
    const before = isNeeded ? (known ?? (await read(context))) : await readBefore(context, known, read)
    if (edits) given.tool_ids = await editedTools(context, flags, before?.tool_ids ?? [])
    const send = (change: Input): Promise<void> => changeAssistant(context, { id, change, before })
    const endpoint = assistants.update
    await (flags.edit && before ? editRecord(context, { endpoint, id, record: editable(masked(before)), given, send }) : send(await askChanges(context, given)))
  },
})

async function changeAssistant(context: Context, { id, change, before }: { id: number; change: Input; before: Assistant | undefined }): Promise<void> {
  const wanted = hasMask(change) ? { ...change, tools: unmasked(change.tools as [], before?.tools ?? []) } : change
  const answer = await sendUpdate(context, { endpoint: assistants.update, ids: { id }, change: wanted, before })
  if (!answer) return
  const { mode } = answer.data
  await tellMeaningless(context, wanted, mode)
  if (context.out.settings.form === 'table' && wanted.mode !== undefined && before && before.mode !== mode)
    await tellReset(context, before, await findAssistant(context, String(id)), wanted)
  await printUpdated(context, answer, { endpoint: assistants.update, change: meaningful(wanted, mode), before, next: `parley assistants get ${id}` })
}
