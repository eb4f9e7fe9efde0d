import {
  type EngineMode,
  isSettingOfMode,
  type ModeSetting,
  modeSettings,
} from '../../../contract/assistants/engine-modes.ts'
import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { stringifyJson } from '../../../node/json.ts'
import { type CommandInput, command } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { exportedFieldsParser } from '../../program/documents/exported-fields.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { changeSelected, selectionFlag, selectionNote } from '../../program/lists/selection.ts'
import { maskAssistant } from '../../program/secrets/assistant-credentials.ts'
import { editFlag, editRecord } from '../../program/updates/edit-record.ts'
import { describeSent } from '../../program/updates/field-changes.ts'
import { resolveForUpdate, type UpdateTarget } from '../../program/updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../program/updates/prompt-changes.ts'
import { printUpdate, sendUpdate } from '../../program/updates/send-update.ts'
import { editableFields, findAssistant, readAssistant, withoutReadOnly } from './assistant-record.ts'
import { addTool, editedTools, editsTools, removeTool } from './mid-call-tools.ts'
import { argument, target, view } from './view.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the given settings that apply in a mode. */
const applicableSettings = (given: Fields, mode: EngineMode): Fields =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name]) => !Object.hasOwn(modeSettings, name) || isSettingOfMode(name as ModeSetting, mode),
    ),
  )

/** Settings of all modes that a change of mode may reset. */
const shared = ['allow_interruptions', 'knowledgebase_mode'] as const

/** Lists the settings that a change of mode reset although the request did not name them. */
async function noteResetSettings(context: Context, before: Assistant, after: Assistant, given: Fields): Promise<void> {
  const names = [...(Object.keys(modeSettings) as ModeSetting[]), ...shared]
  const resetNames = names.filter(
    (name) =>
      before[name] !== null && given[name] === undefined && stringifyJson(before[name]) !== stringifyJson(after[name]),
  )
  const lines = resetNames.map(
    (name) =>
      `${name}: ${stringifyJson(before[name])} -> ${after[name] === null ? 'not set' : stringifyJson(after[name])}`,
  )
  if (lines.length > 0)
    await context.notes.note(`Changing the mode from ${before.mode} to ${after.mode} reset:\n${lines.join('\n')}`)
}

export const update = command({
  endpoint: assistants.update,
  documentParser: exportedFieldsParser({
    kind: 'assistants',
    update: assistants.update,
    readOnly: ['status'],
  }),
  argument: { ...argument, optional: true },
  flags: [addTool, removeTool, editFlag, selectionFlag('assistants')],
  changesSelected: true,
  exits: ['partial', 'consent'],
  examples: [
    '1 --max-duration 300',
    '"Front desk" --add-tool quote_treatment',
    '1 --mode multimodal --multimodal-model-id 21 --voice-id 43',
    '1 --edit',
    '--filter folder_id="Front desk" --max-duration 300 --yes',
  ],
  notes: `Omitted fields are unchanged. Changing the mode resets mode-dependent settings to their defaults and requires the model in the same command. Lists, variables and filler words are replaced completely.\n${selectionNote} Invalid values are refused before the question (exit code 2), and --dry-run shows the old and the new value of each assistant.`,
  view,
  async run(context, invocation) {
    const { argument, input, flags } = invocation
    const given = withoutReadOnly(input, flags, assistants.update)
    const edits = editsTools(flags, given)
    if (flags.filter !== undefined) {
      if (flags.edit || edits)
        throw usageError(
          '--filter cannot be combined with --edit, --add-tool and --remove-tool.',
          'Pass fields as flags.',
        )
      if (Object.keys(given).length === 0)
        throw usageError('Nothing to change.', 'Pass at least one field as a flag, with --set or with --file.')
      return changeSelected(context, invocation, {
        list: 'assistants list',
        noun: 'assistants',
        called: ['assistant', 'assistants'],
        verb: [`Set ${describeSent(given)} for`, 'updated'],
        sets: given,
        endpoint: assistants.update,
        inputOf: ({ id }) => ({ ...given, id }),
        apply: (one, { id }) =>
          sendUpdate(one, { endpoint: assistants.update, ids: { id }, change: given, previous: undefined }),
      })
    }
    if (!flags.edit && !edits)
      requireChanges(context, given, 'Pass at least one field as a flag, with --set or with --file, or use --edit.')
    const { id, previous } = await resolveForUpdate<Assistant>(context, argument, target, {
      read: readAssistant,
      isRequired: flags.edit === true || edits || (given.mode !== undefined && context.out.settings.format === 'table'),
    })
    if (edits) given.tool_ids = await editedTools(context, flags, previous?.tool_ids ?? [])
    let latest = previous
    const send = (change: CommandInput): Promise<void> => changeAssistant(context, { id, change, previous: latest })
    const read = async (): Promise<Record<string, unknown> | undefined> => {
      const fresh = await readAssistant(context, id)
      latest = fresh ?? previous
      return fresh && editableFields(maskAssistant(fresh))
    }
    const endpoint = assistants.update
    await (flags.edit && previous
      ? editRecord(context, {
          endpoint,
          id,
          record: editableFields(maskAssistant(previous)),
          flagFields: given,
          read,
          send,
        })
      : send(await promptChanges(context, given)))
  },
})

async function changeAssistant(
  context: Context,
  { id, change, previous }: UpdateTarget<Assistant> & { readonly change: CommandInput },
): Promise<void> {
  const answer = await sendUpdate(context, { endpoint: assistants.update, ids: { id }, change, previous })
  if (!answer) return
  const { mode } = answer.data
  if (context.out.settings.format === 'table' && change.mode !== undefined && previous && previous.mode !== mode)
    await noteResetSettings(context, previous, await findAssistant(context, String(id)), change)
  await printUpdate(context, answer, {
    endpoint: assistants.update,
    change: applicableSettings(change, mode),
    previous,
    next: `parley assistants get ${id}`,
  })
}
