import { conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { spendingFlags } from '../../operations/billing-flags.ts'
import { confirmSpend } from '../../operations/budget.ts'
import { renderTranscript } from '../../output/transcript.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { exchange } from './exchange.ts'
import { argument, conversationView, latest } from './view.ts'

/** Note for people if the reply is missing. */
export const silent = 'No reply: AI replies are disabled in this conversation. The message was saved.'

export const sendMessage = command({
  endpoint: conversations.send,
  // A single message is cheap, so no confirmation is needed. The operations journal still records it.
  risk: 'write',
  argument,
  flags: spendingFlags,
  examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --message "When are you open?"'],
  notes:
    'Works for widget, test and api conversations. The command waits up to 120 s for the reply; change this with --request-timeout. A message is never sent twice. If the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome.',
  async run(context, { argument: given, input }) {
    const uuid = await resolveLatest(context, given, latest)
    const message = { ...(await promptMissingFields(context, conversations.send, input)), uuid }
    if (await previewRequest(context, conversations.send, message)) return
    await confirmSpend(context, conversations.send, message)
    const { out, notes, system, progress } = context
    const sending = exchange(context, message as Parameters<typeof exchange>[1], { signal: system.signal })
    const answer = await progress.showWhile('Waiting for the reply', sending)
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(answer, { schema: conversations.send.output, view: conversationView(uuid) } as never)
    if (answer.message === '') return notes.note(silent)
    await system.streams.stdout.write(
      await renderTranscript(
        [{ role: 'assistant', content: answer.message, function_calls: answer.function_calls }],
        out.settings,
      ),
    )
  },
})
