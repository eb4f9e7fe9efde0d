import { leads } from '../../../contract/resources/leads.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { argument, leadTarget } from './view.ts'

export const remove = deleteCommand({
  endpoint: leads.delete,
  argument,
  examples: ['5', '+14155550154 --yes'],
  target: leadTarget,
  buildQuestion: (called) => `Delete lead ${called} and its secondary contacts?`,
})
