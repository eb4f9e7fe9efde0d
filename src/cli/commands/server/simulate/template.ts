import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const template = simulationCommand(simulate.template, {
  examples: [
    '--sender 1 --template summer_whitening --status approved',
    '--sender 1 --template 1 --status rejected --json',
  ],
  notes: 'The platform syncs templates about every 4 hours.',
})
