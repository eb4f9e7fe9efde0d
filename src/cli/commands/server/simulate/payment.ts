import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const payment = simulationCommand(simulate.payment, {
  examples: ['', '--outcome accepted'],
  notes:
    'Purchases and renewals of numbers are charged to the payment method: a renewal that is declined is tried again daily, then the number is released.',
  next: 'parley server clock until subscription',
})
