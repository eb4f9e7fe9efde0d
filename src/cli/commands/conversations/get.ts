import { conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { renderTranscript } from '../../output/transcript.ts'
import { argument, conversationView, latest } from './view.ts'

/** Schema of the printed fields. */
const shownConversation = conversations.get.output.omit({ status: true })

export const get = command({
  endpoint: conversations.get,
  argument,
  examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae', 'dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --json'],
  notes: 'Prints a transcript. With -o json, the output includes the functions that the assistant ran.',
  async run(context, { argument: given }) {
    const uuid = await resolveLatest(context, given, latest)
    const answer = await sendRequest(context, conversations.get, { uuid })
    if (!answer) return
    const { out, system } = context
    // The platform's status says that the request succeeded, which reads like the status of the conversation.
    const { status: _, ...shown } = answer
    const { history, ...about } = shown
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(shown, { schema: shownConversation, view: conversationView(uuid) } as never)
    const known = Object.fromEntries(
      Object.entries(about).filter(([, value]) => value !== null && Object.keys(Object(value)).length > 0),
    )
    if (out.settings.terminal && Object.keys(known).length > 0) {
      await out.record(known)
      await system.streams.stdout.write('\n')
    }
    await system.streams.stdout.write(await renderTranscript(history, out.settings))
    if (history.length === 0) await context.notes.note('No messages yet.')
  },
})
