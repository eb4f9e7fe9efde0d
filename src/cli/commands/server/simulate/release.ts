import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const release = simulationCommand(simulate.release, {
  examples: ['--number +14155550199', '--number 3 --json'],
  notes: 'The number is removed from assistants and campaigns that use it.',
  next: 'parley numbers list',
})
