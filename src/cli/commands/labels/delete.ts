import { labels } from '../../../contract/resources/labels.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { target } from './view.ts'

export const remove = deleteCommand({
  endpoint: labels.delete,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['2', 'production --yes'],
  target,
  dependencyKind: 'labels',
  buildQuestion: (called) => `Delete label ${called}? It is removed from its assistants.`,
})
