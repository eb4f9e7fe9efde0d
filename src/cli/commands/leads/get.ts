import { leads } from '../../../contract/resources/leads.ts'
import { getFromListCommand } from '../../commandline/get-from-list-command.ts'
import { argument, leadTarget, view } from './view.ts'

export const get = getFromListCommand({
  summary: 'Show a lead',
  endpoint: leads.list,
  argument,
  examples: ['5', '+14155550154 -o yaml'],
  notes:
    'The platform has no endpoint for a single lead, so the command searches the list, newest first. A phone number is found faster than an id in a long list. If several campaigns have the number, pass the id.',
  view,
  target: leadTarget,
})
