import { campaigns } from '../../../contract/resources/campaigns.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { user } from '../../../contract/resources/user.ts'
import { command } from '../../commandline/command.ts'
import { balanceText } from '../../connection/balance-text.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { withListHint } from '../../input/request-by-id.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { spendingFlags } from '../../operations/billing-flags.ts'
import { printStatus, statusView } from './print-status.ts'
import { argument, target } from './view.ts'

export const start = command({
  endpoint: campaigns.updateStatus,
  summary: 'Start a campaign, charged to the balance',
  risk: 'spends',
  argument,
  flags: spendingFlags,
  filledFields: ['campaign_id', 'action'],
  allowedFields: [],
  examples: ['1 --yes', 'Reminders', '1 --budget 20 --yes'],
  notes:
    'A started campaign calls or messages its leads. If it has a scheduled start in the future, it waits until then. It requires a balance above zero and at least one lead, unless mark_complete_when_no_leads is false.\n--budget is compared with the highest price of the leads that the campaign has now: every attempt, calls with the maximum duration of the assistant, and the fallback. Leads that are added later are not included.',
  view: statusView,
  async run(context, { argument }) {
    const campaign_id = await resolveId(context, argument, target)
    const input = { campaign_id, action: 'start' }
    if (await previewRequest(context, campaigns.updateStatus, input)) return
    await requireConfirmation(context, {
      question: context.interactive && !context.globals.yes ? await question(context, campaign_id) : '',
      refusalMessage: `Starting campaign ${argument === undefined || argument === String(campaign_id) ? campaign_id : `"${argument}" (${campaign_id})`} is charged to the balance and requires confirmation.`,
    })
    await printStatus(
      context,
      await withListHint(target, () => context.call(campaigns.updateStatus, input)),
      `parley leads list --campaign ${campaign_id}`,
    )
  },
})

/** Returns the question: number of leads, channel and balance. */
async function question(context: Context, id: number): Promise<string> {
  const [{ data: campaign }, waiting, { total_balance: balance }] = await Promise.all([
    context.call(campaigns.get, { id }),
    context.call(leads.list, { campaign_id: id, status: 'created', per_page: 1 }),
    context.call(user.me, {}),
  ])
  const verb = campaign.channel === 'call' ? 'calls' : 'messages'
  const count = `${waiting.total} new ${waiting.total === 1 ? 'lead' : 'leads'}`
  return `It ${verb} ${count}, each charged to your balance of ${await balanceText(context, balance)}. Start campaign "${campaign.name}" (${id})?`
}
