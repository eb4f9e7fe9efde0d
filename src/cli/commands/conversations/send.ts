import { conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { billingFlags } from '../../operations/billing-flags.ts'
import { renderTranscript } from '../../output/transcript.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { exchange } from './exchange.ts'
import { argument, conversationView, latest } from './view.ts'

/** What a person is told where an assistant has nothing to say. */
export const silent = 'No reply: AI is switched off for this conversation. The message was kept.'

export const sendMessage = command({
  endpoint: conversations.send,
  // One message costs less than a question about it; the journal keeps it as a spend.
  risk: 'write',
  argument,
  flags: billingFlags,
  examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --message "When are you open?"'],
  notes:
    'Only widget, test and api conversations take messages this way. The command waits up to 120 s for the reply; --request-timeout changes that. A message is never sent twice: when its answer is lost the exit code is 12, and "parley ops reconcile" finds out what happened.',
  async run(context, { argument: given, input }) {
    const uuid = await resolveLatest(context, given, latest)
    const message = { ...(await promptMissingFields(context, conversations.send, input)), uuid }
    if (await previewRequest(context, conversations.send, message)) return
    const { out, notes, world, progress } = context
    const sending = exchange(context, message as Parameters<typeof exchange>[1], { signal: world.signal })
    const answer = await progress.showWhile('Waiting for the reply', sending)
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(answer, { schema: conversations.send.output, view: conversationView(uuid) } as never)
    if (answer.message === '') return notes.note(silent)
    await world.streams.stdout.write(
      await renderTranscript(
        [{ role: 'assistant', content: answer.message, function_calls: answer.function_calls }],
        out.settings,
      ),
    )
  },
})
