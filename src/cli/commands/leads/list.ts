import { leads } from '../../../contract/resources/leads.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: leads.list,
  filter: { flag: campaignFlag, target: campaignTarget },
  examples: [
    '',
    '--campaign "Call back" --status created',
    '--phone-number +1415555 --json',
    '--date-from 2026-01-01 --date-to 2026-01-31 --all -o ndjson',
  ],
  notes: 'Sorted from newest to oldest. Dates are whole days in UTC.',
  view,
})
