import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const payment = simulationCommand(simulate.payment, {
  examples: ['', '--outcome accepted'],
  notes:
    'The payment method is charged for purchases and renewals of numbers. A declined renewal is retried daily, then the number is released.',
  next: 'parley server clock until subscription',
})
