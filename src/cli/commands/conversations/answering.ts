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
    examples: ['6d1d7d3a-7c06-4c5e-9d0b-0b5a4f1c2e11'],
    async run(context, { argument: given }) {
      const uuid = await resolveLatest(context, given, latest)
      const answer = await send(context, endpoint, { uuid })
      if (!answer) return
      if (context.out.settings.form === 'table' && !context.out.settings.fields) return context.out.line(told)
      await context.out.record(answer, { schema: endpoint.output, view: named(uuid) } as never)
    },
  })
