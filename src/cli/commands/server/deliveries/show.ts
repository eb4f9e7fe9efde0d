import { deliveries } from '../../../../contract/control/deliveries.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { resolveId } from '../../../input/resolve-target.ts'
import { argument, target, view } from './view.ts'

export const show = command({
  endpoint: deliveries.show,
  argument,
  examples: ['1', '1 --fields payload --json'],
  view,
  async run(context, { argument: given }) {
    const answer = await sendRequest(context, deliveries.show, { id: await resolveId(context, given, target) })
    if (!answer) return
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields) return out.record(answer.data, { view } as never)
    const { tries, payload, ...about } = answer.data
    await out.record({ ...about, payload: JSON.stringify(payload) })
    for (const { number, at, status, error, ms } of tries)
      await notes.note(`Attempt ${number}, ${at}: ${error ?? status}, ${ms} ms`)
  },
})
