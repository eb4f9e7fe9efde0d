import type { Endpoint } from '../../../../contract/endpoint.ts'
import { type Command, command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { sentence } from '../../../result.ts'
import { accountFlag, accountId } from '../connections/view.ts'

interface Simulated {
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A command that has somebody outside do one thing: its flags are what the endpoint takes. */
export const simulation = (
  endpoint: Endpoint,
  more: Pick<Command, 'examples' | 'notes'> & { readonly next?: string; readonly fields?: readonly string[] },
): Command =>
  command({
    endpoint,
    fills: ['account', ...(more.fields ?? [])],
    flags: [accountFlag],
    examples: more.examples,
    ...(more.notes !== undefined && { notes: more.notes }),
    view: { id: (it: { id: string | number }) => it.id, columns: [], empty: '' },
    async run(context, { input, flags }) {
      const account = flags.account === undefined ? {} : { account: await accountId(context, flags.account) }
      const answer = (await send(context, endpoint, { ...input, ...account })) as Simulated | undefined
      if (!answer) return
      const { out, notes } = context
      if (out.settings.form !== 'table' || out.settings.fields)
        return out.record(answer.data, { view: { id: () => String(answer.data.id), columns: [], empty: '' } } as never)
      await out.line(sentence(answer.message))
      const { happens_at } = answer.data
      if (happens_at) await notes.note(`The platform comes to know at ${happens_at}. Sooner: parley server clock until ${happens_at}`)
      else if (more.next) await notes.note(`Next: ${more.next}`)
    },
  })
