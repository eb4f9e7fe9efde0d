import { simulate } from '../../../../contract/control/simulate.ts'
import { simulationCommand } from './simulation-command.ts'

export const call = simulationCommand(simulate.call, {
  examples: [
    '--phone-number +14155550142 --assistant Recall --direction outbound --status no-answer',
    '--phone-number +14155550142 --direction lead --turns \'[{"customer": "Yes, please."}]\'',
    '--phone-number +14155550142 --assistant "Front desk" --status completed --duration 95',
  ],
  notes: `Pass the script of the call as a file: --file call.yaml, with
  direction: inbound
  assistant: Front desk
  phone_number: "+14155550142"
  turns:
    - customer: Do you have time on Friday?
    - assistant: At ten o'clock.
      after: 3
  extracted_variables: {wants_visit: true}
If the script does not start with the assistant, its initial message comes first. The call proceeds as the clock advances: parley server clock advance 5m.`,
  next: 'parley server clock advance 5m',
})
