import { campaigns } from '../../../contract/resources/campaigns.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { user } from '../../../contract/resources/user.ts'
import { amountText } from '../../../contract/values/money.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmTerms, type Terms } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { withListHint } from '../../input/request-by-id.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { spendingFlags } from '../../operations/billing-flags.ts'
import { readBilling } from '../../operations/budget.ts'
import { campaignTerms } from '../../operations/campaign-price.ts'
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
    if (!context.globals.yes) {
      const read = (): Promise<Terms> => readTerms(context, campaign_id)
      await confirmTerms(context, await read(), read)
    }
    await printStatus(
      context,
      await withListHint(target, () => context.call(campaigns.updateStatus, input)),
      `parley leads list --campaign ${campaign_id}`,
    )
  },
})

/** Reads what is decided on: leads, channel, price and content. The total is not known: it depends on who answers. */
async function readTerms(context: Context, id: number): Promise<Terms> {
  const [{ data: campaign }, waiting, { total_balance: balance }, { prices, unit }] = await Promise.all([
    context.call(campaigns.get, { id }),
    context.call(leads.list, { campaign_id: id, status: 'created', per_page: 1 }),
    context.call(user.me, {}),
    readBilling(context),
  ])
  const terms = await campaignTerms(context, campaign, prices ?? undefined)
  const { 'The price': price, 'The price of the fallback': fallback } = terms
  const count = `${waiting.total} new ${waiting.total === 1 ? 'lead' : 'leads'}`
  const effect = `It ${campaign.channel === 'call' ? 'calls' : 'messages'} ${count}, each charged to your balance of ${amountText(Number(balance), unit)}`
  const cost = `Price: ${price}${fallback === undefined ? '' : `; of the fallback: ${fallback}`}`
  return {
    question: `${effect}. ${cost}. Start campaign "${campaign.name}" (${id})?`,
    refusalMessage: `Starting campaign "${campaign.name}" (${id}) is charged to the balance and requires confirmation. ${effect}. ${cost}.`,
    terms: { ...terms, 'The channel': campaign.channel, 'The number of new leads': String(waiting.total) },
  }
}
