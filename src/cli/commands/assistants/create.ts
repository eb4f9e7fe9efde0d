import { assistants } from '../../../contract/resources/assistants.ts'
import { exportedFieldsParser } from '../../as-code/exported-fields.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { withoutReadOnly } from './assistant-record.ts'
import { addTool, editedTools, editsTools } from './mid-call-tools.ts'
import { promptAssistant } from './prompt-assistant.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: assistants.create,
  documentParser: exportedFieldsParser({
    kind: async () => (await import('../../as-code/kinds/assistants.ts')).assistants,
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
    if (answer.data.status === 'inactive' && context.out.settings.form === 'table')
      await context.notes.note(
        `The assistant is inactive. ${await (await import('./status-command.ts')).activationHint(context, answer.data.id)}`,
      )
  },
})
