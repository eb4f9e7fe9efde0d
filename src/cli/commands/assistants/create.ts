import { assistants } from '../../../contract/assistants.ts'
import { exportedFieldsParser } from '../../as-code/pulled-fields.ts'
import { command } from '../../command.ts'
import { sendRequest } from '../../requests.ts'
import { printWriteResult } from '../../result.ts'
import { addTool, editedTools, editsTools } from './mid-call-tools.ts'
import { promptAssistant } from './pickers.ts'
import { withoutReadOnly } from './record.ts'
import { warnInapplicable } from './settings-told.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: assistants.create,
  documentParser: exportedFieldsParser({ kind: async () => (await import('../../as-code/kinds/assistants.ts')).assistants, update: assistants.update, readOnly: ['status'] }),
  flags: [addTool],
  examples: [
    '',
    '--name "Front desk" --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message "Hello" --system-prompt "Answer the phone of a practice."',
    '--file assistant.yaml --add-tool lookup_patient,book_appointment',
  ],
  notes: 'Pipeline needs --llm-model-id, multimodal and dualplex need --multimodal-model-id. On a terminal whatever is missing is asked for.',
  view,
  async run(context, { input, flags }) {
    const given = withoutReadOnly(input, flags, assistants.create)
    if (editsTools(flags, given)) given.tool_ids = await editedTools(context, flags, [])
    const draft = await promptAssistant(context, given)
    const answer = await sendRequest(context, assistants.create, draft)
    if (!answer) return
    await warnInapplicable(context, draft, answer.data.mode)
    await printWriteResult(context, answer.message, answer.data, `parley assistants get ${answer.data.id}`)
    if (answer.data.status === 'inactive' && context.out.settings.form === 'table')
      await context.notes.note(`The assistant is inactive. ${await (await import('./activation.ts')).activationHint(context, answer.data.id)}`)
  },
})
