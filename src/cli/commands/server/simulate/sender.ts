import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const sender = simulationCommand(simulate.sender, {
  examples: ['--sender 1 --status offline', '--sender 1 --quality-rating RED --messaging-limit 250'],
  notes: 'The platform syncs senders about every 5 minutes.',
})
