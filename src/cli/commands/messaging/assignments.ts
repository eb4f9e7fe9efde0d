import { messaging } from '../../../contract/resources/messaging.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { assignmentView } from './view.ts'

export const assignments = listCommand({
  endpoint: messaging.listAssignments,
  elsewhere: 'See the assistant of each sender in the app of the platform.',
  examples: ['', '--filter status=online', '--json'],
  notes: 'Senders of every status. The assistant of a sender answers those who write to it.',
  view: assignmentView,
})
