import { numbers } from '../../../contract/resources/numbers.ts'
import { updateCommand } from '../../commandline/update-command.ts'
import { argument, digitsNote, ownedNumberView, target } from './view.ts'

export const update = updateCommand({
  endpoint: numbers.update,
  argument,
  examples: ['4 --nickname "Front desk"', '+14155550199 --nickname null'],
  notes: digitsNote,
  view: ownedNumberView,
  target,
  changesHint: 'Pass --nickname <name>; "null" clears it.',
  next: () => 'parley numbers list',
})
