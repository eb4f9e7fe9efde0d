import { calls } from '../../../contract/resources/calls.ts'
import { usd } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { isError } from '../../../node/is-error.ts'
import { command } from '../../commandline/command.ts'
import { requireCapability } from '../../connection/require-capability.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { isInProgress } from './follow-call.ts'
import { latest, view } from './view.ts'

export const stop = command({
  endpoint: calls.stop,
  reducesHarm: true,
  argument: { name: 'id', describe: 'Id of the call' },
  exits: ['unknown'],
  examples: ['2', '2 --yes --json'],
  notes:
    'The call ends as "ended" when it was answered, otherwise as "no-answer". The started minutes are charged, and webhooks and automations receive the end as that of any call. A campaign counts an answered call as one that reached its lead. The call is read back: the exit code is 12 when it is still in progress, and 5 when it had already ended.',
  view,
  async run(context, { argument }) {
    await requireCapability(context, calls.stop)
    const id = await resolveLatest(context, argument, latest)
    if (await previewRequest(context, calls.stop, { id })) return
    await requireConfirmation(context, {
      question: `End call ${id}? It cannot be continued.`,
      refusalMessage: `Ending call ${id} interrupts it and requires confirmation.`,
    })
    await context.call(calls.stop, { id } as never)
    const { out, notes } = context
    const call = await context.call(calls.get, { id } as never).catch((error: Error) => error)
    if (isError(call)) {
      if (context.system.signal.aborted) throw call
      await notes.warn(`The platform accepted the end of call ${id}, but the call could not be read: ${call.message}`)
      return 'unknown'
    }
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(call, itemShape({ endpoint: calls.get, view: view as never }) as never)
    else if (!isInProgress(call))
      await out.done(
        `Ended call ${id} after ${call.duration} s: ${stateText(call.status)}. Cost: ${usd(call.total_cost)}`,
      )
    if (!isInProgress(call)) return 'done'
    await notes.warn(`Call ${id} is still ${stateText(call.status)}. See: parley calls get ${id}`)
    return 'unknown'
  },
})
