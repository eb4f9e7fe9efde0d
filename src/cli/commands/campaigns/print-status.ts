import { isReplay } from '../../../client/journal/outcome-detail.ts'
import type { Output } from '../../../contract/mechanics/endpoint.ts'
import type { campaigns } from '../../../contract/resources/campaigns.ts'
import { stateText } from '../../../contract/values/states.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { toSentence } from '../../output/print-result.ts'
import { itemShape } from '../../output/tables/item-shape.ts'

type Status = Output<typeof campaigns.updateStatus>

export const statusView: View<Status['data']> = { id: (it) => it.campaign_id, columns: [], empty: '' }

/**
 * Prints the result of starting or stopping a campaign: a sentence and the next command for people, the status for
 * programs.
 */
export async function printStatus(context: Context, answer: Status, next: string): Promise<void> {
  const { out, notes } = context
  const { message, data } = answer
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(data, itemShape(context.command) as never)
  await out.done(
    `${isReplay(answer) ? 'Already done before. Nothing was changed.' : toSentence(message)}${typeof data.status === 'string' ? ` Status: ${stateText(data.status)}` : ''}`,
  )
  await notes.note(`Next: ${next}`)
}
