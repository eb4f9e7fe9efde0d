import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const end = simulationCommand(simulate.end, {
  examples: ['--conversation dcc8a31d-9a12-40f7-8676-f5d9a81c26ae'],
  notes: 'As when nobody speaks for as long as the assistant waits: the webhook for ended conversations is told.',
  next: 'parley server deliveries list',
})
