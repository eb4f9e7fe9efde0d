import type { Endpoint } from '../../../../contract/mechanics/endpoint.ts'
import { type Command, command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { toSentence } from '../../../output/print-result.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'

interface SimulationResult {
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Creates a command that simulates an external event; its flags are the fields of the endpoint. */
export const simulationCommand = (
  endpoint: Endpoint,
  more: Pick<Command, 'examples' | 'notes'> & { readonly next?: string; readonly fields?: readonly string[] },
): Command =>
  command({
    endpoint,
    filledFields: ['account', ...(more.fields ?? [])],
    flags: [accountFlag],
    examples: more.examples,
    ...(more.notes !== undefined && { notes: more.notes }),
    view: { id: (it: { id: string | number }) => it.id, columns: [], empty: '' },
    async run(context, { input, flags }) {
      const account = flags.account === undefined ? {} : { account: await resolveAccount(context, flags.account) }
      const answer = (await sendRequest(context, endpoint, { ...input, ...account })) as SimulationResult | undefined
      if (!answer) return
      const { out, notes } = context
      if (out.settings.form !== 'table' || out.settings.fields)
        return out.record(answer.data, { view: { id: () => String(answer.data.id), columns: [], empty: '' } } as never)
      await out.done(toSentence(answer.message))
      const { happens_at } = answer.data
      if (happens_at)
        await notes.note(
          `The platform is updated at ${happens_at}. To apply it now: parley server clock until ${happens_at}`,
        )
      else if (more.next) await notes.note(`Next: ${more.next}`)
    },
  })
