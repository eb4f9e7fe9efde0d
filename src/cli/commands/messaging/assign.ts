import { messaging } from '../../../contract/resources/messaging.ts'
import { updateCommand } from '../../commandline/update-command.ts'
import { assignmentTarget, assignmentView } from './view.ts'

export const assign = updateCommand({
  endpoint: messaging.updateAssignment,
  argument: { name: 'id', describe: 'Id, number or name of the sender' },
  examples: ['5 --assistant-id "Front desk"', '+14155550170 --assistant-id null'],
  notes:
    'The assistant answers new conversations of the sender. Existing conversations keep their assistant. A sender without an assistant cannot send or receive messages.',
  elsewhere: 'Assign it in the app of the platform.',
  view: assignmentView,
  target: assignmentTarget,
  changesHint: 'Pass --assistant-id <name>; "null" unassigns it.',
  next: () => 'parley messaging assignments',
})
