import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const receipt = simulationCommand(simulate.receipt, {
  examples: [
    '--message-sid MM0 --status delivered',
    '--message-sid MM0 --status failed --error-code 63024 --error-message "Not reachable"',
  ],
  notes:
    'A status only moves forward: sent, delivered, read. failed and undelivered are possible until it is delivered.',
  next: 'parley server deliveries list --event message_status',
})
