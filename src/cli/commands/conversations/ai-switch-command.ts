import type { conversations } from '../../../contract/resources/conversations.ts'
import { type Command, command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { argument, conversationView, latest } from './view.ts'

/** Creates a command that enables or disables AI replies; `message` is its result line. */
export const aiSwitchCommand = (
  endpoint: typeof conversations.enableAi | typeof conversations.disableAi,
  message: string,
): Command =>
  command({
    endpoint,
    argument,
    examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae'],
    async run(context, { argument: given }) {
      const uuid = await resolveLatest(context, given, latest)
      const answer = await sendRequest(context, endpoint, { uuid })
      if (!answer) return
      if (context.out.settings.form === 'table' && !context.out.settings.fields) return context.out.done(message)
      await context.out.record(answer, { schema: endpoint.output, view: conversationView(uuid) } as never)
    },
  })
