import { conversations } from '../../../contract/resources/conversations.ts'
import { command, repeatedFlag } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { renderTranscript } from '../../output/transcript.ts'
import { assistantFlag } from '../assistants/view.ts'
import { assistantUuid, mergeVariables, variableFlag } from './assistant-flag.ts'
import { conversationView } from './view.ts'

export const start = command({
  endpoint: conversations.create,
  filledFields: ['assistant_id'],
  flags: [assistantFlag, variableFlag],
  examples: ['--assistant "Front desk"', '--assistant 1 --type test --var first_name=Anna', '--assistant 1 -o id'],
  notes:
    'A widget conversation costs 0.01 USD per message; a test conversation is free. To write to it, use parley conversations send or chat.',
  async run(context, { input, flags }) {
    const { assistant_id, variables, ...rest } = input
    const uuid = await assistantUuid(context, flags.assistant ?? assistant_id)
    const values = mergeVariables(variables, repeatedFlag(flags, 'var'))
    const answer = await sendRequest(context, conversations.create, {
      ...rest,
      assistant_id: uuid,
      ...(values && { variables: values }),
    })
    if (!answer) return
    const { out, notes, system } = context
    const { conversation_id: id, history } = answer
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(answer, { schema: conversations.create.output, view: conversationView(id) } as never)
    await system.streams.stdout.write(await renderTranscript(history, out.settings))
    await out.done(`Started conversation. Id: ${id}`)
    await notes.note(`Next: parley conversations send ${id} --message "Hello"`)
  },
})
