import { replies } from '../../../contract/resources/replies.ts'
import { command, repeatedFlag } from '../../program/commandline/command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { withListHint } from '../../program/input/request-by-id.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { spendingFlags } from '../../program/operations/billing-flags.ts'
import { renderTranscript } from '../../program/output/transcript.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import { assistantFlag, target as assistantTarget } from '../assistants/view.ts'
import { mergeVariables, variableFlag } from '../conversations/assistant-flag.ts'
import { conversationView } from '../conversations/view.ts'

export const generate = command({
  endpoint: replies.generate,
  // A single reply is cheap, so no confirmation is needed. The operations journal still records it.
  risk: 'write',
  summary: 'Generate a reply for another channel',
  filledFields: ['assistant_id'],
  flags: [assistantFlag, variableFlag, ...spendingFlags],
  examples: ['--assistant "Front desk" --customer-identifier anna@clinic.example --message "When are you open?"'],
  notes:
    'The reply is charged to the balance. Messages of the same customer identifier continue one conversation. At most 5 replies per minute; further requests wait. If the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome.',
  async run(context, { input, flags }) {
    const given = flags.assistant ?? input.assistant_id
    const assistant_id = await resolveId(
      context,
      given === undefined ? undefined : String(given),
      assistantTarget,
      '--assistant',
    )
    const variables = mergeVariables(input.variables, repeatedFlag(flags, 'var'))
    const body = await promptMissingFields(context, replies.generate, {
      ...input,
      assistant_id,
      ...(variables && { variables }),
    })
    const answer = await withListHint(assistantTarget, () =>
      sendRequest(context, replies.generate, body, { progressText: 'Waiting for the reply' }),
    )
    if (!answer) return
    const { out, notes, system } = context
    const { conversation_id: uuid, reply, function_calls } = answer
    const print = async (): Promise<void> => {
      if (reply === null)
        await notes.note('No reply: AI replies are disabled in this conversation. The message was saved.')
      else
        await system.streams.stdout.write(
          await renderTranscript([{ role: 'assistant', content: reply, function_calls }], out.settings),
        )
      await notes.note(`Next: parley conversations get ${uuid}`)
    }
    await out.result(answer, print, { schema: replies.generate.output, view: conversationView(uuid) })
  },
})
