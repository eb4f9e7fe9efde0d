import { type EngineMode, engineModes, modelField } from '../../../contract/assistants/engine-modes.ts'
import { isRequired } from '../../../contract/endpoint/coerce.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import { languages } from '../../../contract/resources/languages.ts'
import { models } from '../../../contract/resources/models.ts'
import { voices } from '../../../contract/resources/voices.ts'
import { timeZoneNames } from '../../../contract/values/time-zone.ts'
import { command } from '../../program/commandline/command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { exportedFieldsParser } from '../../program/documents/exported-fields.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import type { Prompts } from '../../program/prompts/prompts.ts'
import { withoutReadOnly } from './assistant-record.ts'
import { addTool, editedTools, editsTools } from './mid-call-tools.ts'
import { activationHint } from './status-command.ts'
import { view } from './view.ts'

type Fields = Record<string, unknown>

const searchable = { searchable: true } as const

/**
 * Prompts for the missing fields of a new assistant; mode, language, voice and model are chosen from lists. @throws
 * ClientFailure `usage` with the flags, without a terminal
 */
async function promptAssistant(context: Context, given: Fields): Promise<Fields> {
  const input = { ...given }
  const isComplete = Object.entries(assistants.create.body.shape).every(
    ([field, schema]) => input[field] !== undefined || !isRequired(schema),
  )
  if (isComplete || !context.interactive) return promptMissingFields(context, assistants.create, input)
  const promptIfMissing = async (field: string, ask: (prompts: Prompts) => Promise<unknown>): Promise<void> => {
    if (input[field] !== undefined) return
    input[field] = await ask(await context.prompts())
    recordFlag(context, `--${field.replaceAll('_', '-')}`, input[field])
  }
  const pick = async <T extends { readonly id: number }>(
    prompts: Prompts,
    question: string,
    offered: readonly T[],
    label: (choice: T) => string,
  ): Promise<number> => (await prompts.select(question, promptChoices(offered, label), searchable)).id
  // In this order: voices depend on the mode and the language, and the model on the mode.
  await promptIfMissing('mode', (it) => it.select('Which engine mode?', promptChoices(engineModes, String)))
  await promptIfMissing('language_id', async (prompter) =>
    pick(prompter, 'Which language?', await context.call(languages.list, {}), (one) => `${one.name} (${one.iso_2})`),
  )
  const mode = input.mode as EngineMode
  await promptIfMissing('voice_id', async (prompter) => {
    const speak = await context.call(voices.list, { mode, language_id: input.language_id as number })
    // A language may have no dedicated voice: multilingual voices speak it.
    const offered = speak.length > 0 ? speak : await context.call(voices.list, { mode })
    return pick(prompter, 'Which voice?', offered, ({ name, gender, accent }) =>
      [name, gender, accent].filter(Boolean).join(', '),
    )
  })
  const model = modelField[mode]
  if (model !== undefined)
    await promptIfMissing(model, async (prompter) =>
      pick(
        prompter,
        'Which model?',
        await context.call(models.list, { type: mode === 'pipeline' ? 'llm' : mode }),
        ({ name }) => name,
      ),
    )
  await promptIfMissing('timezone', (prompter) =>
    prompter.select('Which time zone?', promptChoices(timeZoneNames(), String), searchable),
  )
  return promptMissingFields(context, assistants.create, input)
}

export const create = command({
  endpoint: assistants.create,
  documentParser: exportedFieldsParser({
    kind: 'assistants',
    update: assistants.update,
    isNew: true,
    readOnly: ['status'],
  }),
  flags: [addTool],
  examples: [
    '',
    '--name "Front desk" --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message "Hello" --system-prompt "Answer calls for a dental practice."',
    '--file assistant.yaml --add-tool lookup_patient,book_appointment',
  ],
  notes:
    'Pipeline mode requires --llm-model-id. Multimodal and dualplex mode require --multimodal-model-id. On a terminal, the command prompts for missing values.',
  view,
  async run(context, { input, flags }) {
    const given = withoutReadOnly(input, flags, assistants.create)
    if (editsTools(flags, given)) given.tool_ids = await editedTools(context, flags, [])
    const draft = await promptAssistant(context, given)
    const answer = await sendRequest(context, assistants.create, draft)
    if (!answer) return
    await printWriteResult(context, answer.message, answer.data, `parley assistants get ${answer.data.id}`)
    if (answer.data.status === 'inactive' && context.out.settings.format === 'table')
      await context.notes.note(`The assistant is inactive. ${await activationHint(context, answer.data.id)}`)
  },
})
