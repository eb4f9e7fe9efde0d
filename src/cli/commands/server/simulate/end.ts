import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const end = simulationCommand(simulate.end, {
  examples: ['--conversation dcc8a31d-9a12-40f7-8676-f5d9a81c26ae'],
  notes: 'Same as an idle timeout. The conversation-ended webhook is notified.',
  next: 'parley server deliveries list',
})
