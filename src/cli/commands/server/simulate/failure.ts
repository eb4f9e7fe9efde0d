import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const failure = simulationCommand(simulate.failure, {
  examples: ['--provider channel.send', '--provider payments.charge --times 3 --text "The bank is closed."'],
  notes:
    'A provider that fails gives no answer: what was asked is tried again as due work. It is a fault like others: parley server faults list.',
  next: 'parley server faults list',
})
