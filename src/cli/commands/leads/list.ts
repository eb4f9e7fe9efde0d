import { leads } from '../../../contract/resources/leads.ts'
import { command } from '../../commandline/command.ts'
import { requestById } from '../../input/request-by-id.ts'
import { printList } from '../../output/print-list.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: leads.list,
  filledFields: ['campaign_id'],
  flags: [campaignFlag],
  examples: [
    '',
    '--campaign "Call back" --status created',
    '--phone-number +1415555 --json',
    '--date-from 2026-01-01 --date-to 2026-01-31 --all -o ndjson',
  ],
  notes: 'Sorted from newest to oldest. Dates are whole days in UTC.',
  view,
  async run(context, { input, flags }) {
    const campaign = flags.campaign ?? input.campaign_id
    if (campaign === undefined) return printList(context, leads.list, input)
    await requestById(context, String(campaign), campaignTarget, (id) =>
      printList(context, leads.list, { ...input, campaign_id: id }),
    )
  },
})
