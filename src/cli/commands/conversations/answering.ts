import type { conversations } from '../../../contract/conversations.ts'
import { type Command, command } from '../../command.ts'
import { resolveLatest } from '../../latest.ts'
import { send } from '../../requests.ts'
import { argument, latest, named } from './view.ts'

/** A command that switches answering: its endpoint, and what is then so, a sentence. */
export const switching = (endpoint: typeof conversations.enableAi | typeof conversations.disableAi, told: string): Command =>
  command({
    endpoint,
    argument,
    examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae'],
    async run(context, { argument: given }) {
      const uuid = await resolveLatest(context, given, latest)
      const answer = await send(context, endpoint, { uuid })
      if (!answer) return
      if (context.out.settings.form === 'table' && !context.out.settings.fields) return context.out.line(told)
      await context.out.record(answer, { schema: endpoint.output, view: named(uuid) } as never)
    },
  })
