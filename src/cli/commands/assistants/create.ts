import { assistants } from '../../../contract/assistants.ts'
import { readsPulled } from '../../as-code/pulled-fields.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { addTool, editedTools, editsTools } from './mid-call-tools.ts'
import { askAssistant } from './pickers.ts'
import { fromFile } from './record.ts'
import { tellMeaningless } from './settings-told.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: assistants.create,
  reads: readsPulled({ kind: async () => (await import('../../as-code/kinds/assistants.ts')).assistants, update: assistants.update, readOnly: ['status'] }),
  flags: [addTool],
  examples: [
    '',
    '--name "Front desk" --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message "Hello" --system-prompt "Answer the phone of a practice."',
    '--file assistant.yaml --add-tool lookup_patient,book_appointment',
  ],
  notes: 'Pipeline needs --llm-model-id, multimodal and dualplex need --multimodal-model-id. On a terminal whatever is missing is asked for.',
  view,
  async run(context, { input, flags }) {
    const given = fromFile(input, flags, assistants.create)
    if (editsTools(flags, given)) given.tool_ids = await editedTools(context, flags, [])
    const draft = await askAssistant(context, given)
    const answer = await send(context, assistants.create, draft)
    if (!answer) return
    await tellMeaningless(context, draft, answer.data.mode)
    await printMade(context, answer.message, answer.data, `parley assistants get ${answer.data.id}`)
    if (answer.data.status === 'inactive' && context.out.settings.form === 'table')
      await context.notes.note(`The assistant is inactive. ${await (await import('./activation.ts')).howToActivate(context, answer.data.id)}`)
  },
})
