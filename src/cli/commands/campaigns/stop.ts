import { campaigns } from '../../../contract/resources/campaigns.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { displayName } from '../../consent/delete-resource.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import { withListHint } from '../../input/request-by-id.ts'
import { resolveItem } from '../../input/resolve-target.ts'
import { printStatus, statusView } from './print-status.ts'
import { argument, target } from './view.ts'

/** The endpoint with the risk of stopping: unlike starting, it costs nothing and can be repeated. */
const stopping = { ...campaigns.updateStatus, risk: 'destructive' } as const

export const stop = command({
  endpoint: campaigns.updateStatus,
  summary: 'Stop a campaign',
  risk: 'destructive',
  reducesHarm: true,
  argument,
  filledFields: ['campaign_id', 'action'],
  allowedFields: [],
  examples: ['1 --yes'],
  notes: 'No further leads are contacted until you start the campaign again.',
  view: statusView,
  async run(context, { argument }) {
    const it = await resolveItem(context, argument, target)
    const campaign_id = it.id as number
    const input = { campaign_id, action: 'stop' }
    if (await previewRequest(context, campaigns.updateStatus, input)) return
    await requireConfirmation(context, {
      question: `Stop campaign ${displayName(it, target)}? No further leads are contacted until you start it again.`,
      refusalMessage: `Stopping campaign ${campaign_id} interrupts it and requires confirmation.`,
    })
    await printStatus(
      context,
      await withListHint(target, () => context.call(stopping, input)),
      `parley campaigns start ${campaign_id}`,
    )
  },
})
