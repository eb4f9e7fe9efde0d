import { assistants } from '../../../contract/assistants.ts'
import { command } from '../../command.ts'
import { editFlag, editRecord } from '../../edit.ts'
import { replacesLists, tellReplaced } from '../../replaced.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { addTool, editedTools, editsTools, removeTool } from './mid-call-tools.ts'
import { editable, findAssistant, fromFile } from './record.ts'
import { hasMask, masked, unmasked } from './secrets.ts'
import { tellMeaningless, tellReset } from './settings-told.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: assistants.update,
  argument,
  flags: [addTool, removeTool, editFlag],
  examples: ['1 --max-duration 300', '"Front desk" --add-tool quote_treatment', '1 --mode multimodal --multimodal-model-id 21 --voice-id 43', '1 --edit'],
  notes:
    'Only what is given changes. Another mode takes the settings that depend on it back to their defaults and needs its model in the same command. Lists, variables and filler words are replaced as a whole.',
  view,
  async run(context, { argument, input, flags }) {
    const given = fromFile(input, flags, assistants.update)
    const edits = editsTools(flags, given)
    if (Object.keys(given).length === 0 && !flags.edit && !edits)
      throw usage('Nothing to change was given.', 'Give at least one field as a flag, with --set, with --file, or --edit.')
    const tells = context.out.settings.form === 'table' && given.mode !== undefined
    const before = flags.edit || edits || tells || hasMask(given) || replacesLists(context, given) ? await findAssistant(context, argument) : undefined
    const id = before?.id ?? (await resolveId(context, argument, target))
    if (edits) given.tool_ids = await editedTools(context, flags, before?.tool_ids ?? [])
    const wanted = flags.edit && before ? await editRecord(context, assistants.update, editable(masked(before)), given) : given
    const change = hasMask(wanted) ? { ...wanted, tools: unmasked(wanted.tools as [], before?.tools ?? []) } : wanted
    if (before) await tellReplaced(context, before, differing(before, change))
    const answer = await send(context, assistants.update, { ...change, id })
    if (!answer) return
    await tellMeaningless(context, change, answer.data.mode)
    if (tells && before && before.mode !== answer.data.mode) await tellReset(context, before, await findAssistant(context, String(id)), change)
    await printMade(context, answer.message, answer.data, `parley assistants get ${id}`)
  },
})

/** What a change gives that is not so already: a whole record sent back replaces only what was edited in it. */
const differing = (before: Readonly<Record<string, unknown>>, change: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(change).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)))
