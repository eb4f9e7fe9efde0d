import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const message = simulationCommand(simulate.message, {
  examples: [
    '--sender 1 --from +14155550142 --text "Are you open today?"',
    '--sender +14155550170 --from +14155550142 --text Hello --name Clara --json',
  ],
  notes: 'Opens or resets the 24-hour window. The assistant of the sender answers.',
  next: 'parley conversations list --type messaging',
})
