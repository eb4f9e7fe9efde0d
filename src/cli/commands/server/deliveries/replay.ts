import { deliveries } from '../../../../contract/control/deliveries.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { requestById } from '../../../input/request-by-id.ts'
import { rejectWithNext } from './disabled-webhook.ts'
import { argument, target } from './view.ts'

export const replay = command({
  endpoint: deliveries.replay,
  filledFields: ['id'],
  exits: ['finding'],
  argument: { ...argument, optional: true },
  examples: ['1', '--failed --since 24h', '--since 2026-08-01T00:00:00Z --event post_call'],
  notes:
    'A replay keeps its message id, so that receivers can detect duplicates. With --url, --payload or --headers, a copy is sent once instead, with its own message id and signature; the exit code is 20 if it was not delivered. While the webhook is disabled, the exit code is 5 and nothing is sent.',
  async run(context, { argument: given, input }) {
    const isMany = input.failed === true || input.since !== undefined
    if (given === undefined && !isMany && !context.interactive)
      throw usageError('Missing delivery.', 'Pass an id, --failed or --since 24h.')
    if (given !== undefined && isMany) throw usageError('An id cannot be combined with --failed or --since.')
    const answer = isMany
      ? await sendRequest(context, deliveries.replay, input)
      : await requestById(context, given, target, (id) =>
          sendRequest(context, deliveries.replay, { ...input, id }).catch((error) =>
            rejectWithNext(context, id, error),
          ),
        )
    if (!answer) return
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(answer, { view: { id: () => answer.count, columns: [], empty: '' } } as never)
    else await out.done(answer.message)
    if (answer.copy === undefined) return
    const { data } = await context.call(deliveries.show, { id: answer.copy })
    return data.status === 'delivered' ? 'done' : 'finding'
  },
})
