import { campaigns } from '../../../contract/resources/campaigns.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { user } from '../../../contract/resources/user.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { billingFlags } from '../../operations/billing-flags.ts'
import { printStatus, statusView } from './print-status.ts'
import { argument, target } from './view.ts'

export const start = command({
  endpoint: campaigns.updateStatus,
  summary: 'Start a campaign: it calls or writes to its leads, paid from the balance',
  risk: 'spends',
  argument,
  flags: billingFlags,
  filledFields: ['campaign_id', 'action'],
  allowedFields: [],
  examples: ['1 --yes', 'Reminders'],
  notes:
    'One with a scheduled start that is still to come waits for it. Needs a balance above zero, and a lead to contact unless it is to wait for leads (mark_complete_when_no_leads: false).',
  view: statusView,
  async run(context, { argument }) {
    const campaign_id = await resolveId(context, argument, target)
    const input = { campaign_id, action: 'start' }
    if (await previewRequest(context, campaigns.updateStatus, input)) return
    await requireConfirmation(context, {
      question: context.interactive && !context.globals.yes ? await question(context, campaign_id) : '',
      refusalMessage: `Starting campaign ${campaign_id} spends from the balance and needs consent.`,
    })
    await printStatus(
      context,
      await context.call(campaigns.updateStatus, input),
      `parley leads list --campaign ${campaign_id}`,
    )
  },
})

/** Says whom it contacts, how, and what there is to pay for it. */
async function question(context: Context, id: number): Promise<string> {
  const [{ data: campaign }, waiting, { total_balance: balance }] = await Promise.all([
    context.call(campaigns.get, { id }),
    context.call(leads.list, { campaign_id: id, status: 'created', per_page: 1 }),
    context.call(user.me, {}),
  ])
  const does = campaign.channel === 'call' ? 'calls' : 'writes to'
  const whom = `${waiting.total} new ${waiting.total === 1 ? 'lead' : 'leads'}`
  return `Start the campaign "${campaign.name}" (${id})? It ${does} ${whom}, at the price of each ${campaign.channel === 'call' ? 'call' : 'message'}; the balance is ${balance}.`
}
