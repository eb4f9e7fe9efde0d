import { deliveries } from '../../../../contract/control/deliveries.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { requestById } from '../../../input/request-by-id.ts'
import { formatValue } from '../../../output/format-value.ts'
import { itemShape } from '../../../output/tables/item-shape.ts'
import { argument, target, view } from './view.ts'

export const show = command({
  endpoint: deliveries.show,
  argument,
  examples: ['1', '1 --fields payload --json'],
  view,
  async run(context, { argument: given }) {
    const answer = await requestById(context, given, target, (id) => sendRequest(context, deliveries.show, { id }))
    if (!answer) return
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields) return out.record(answer.data, { view } as never)
    const { tries, payload, ...about } = answer.data
    await out.record({ ...about, payload: stringifyJson(payload) }, itemShape({ endpoint: deliveries.show }) as never)
    const how = { ...out.settings, relative: false, lines: false }
    for (const { number, at, status, error, ms } of tries)
      await notes.note(`Attempt ${number}, ${formatValue(at, 'time', how)}: ${error ?? status}, ${ms} ms`)
  },
})
