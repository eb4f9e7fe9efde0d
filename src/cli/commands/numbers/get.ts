import { numbers } from '../../../contract/resources/numbers.ts'
import { getFromListCommand } from '../../commandline/get-from-list-command.ts'
import { argument, digitsNote, ownedNumberView, target } from './view.ts'

export const get = getFromListCommand({
  summary: 'Show a phone number of the account',
  endpoint: numbers.list,
  argument,
  examples: ['1', '+14155550199 -o yaml'],
  notes: `The platform has no endpoint for a single number, so the command searches the list. ${digitsNote}`,
  view: ownedNumberView,
  target,
})
