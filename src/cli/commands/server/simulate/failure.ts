import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const failure = simulationCommand(simulate.failure, {
  examples: ['--provider channel.send', '--provider payments.charge --times 3 --text "The bank is closed."'],
  notes:
    'The provider does not respond, and its job is retried later. The failure is a fault rule: parley server faults list.',
  next: 'parley server faults list',
})
