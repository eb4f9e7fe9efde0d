import { labels } from '../../../contract/resources/labels.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource } from '../../consent/delete-resource.ts'
import { target } from './view.ts'

export const remove = command({
  endpoint: labels.delete,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['2', 'production --yes'],
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: labels.delete,
      target,
      dependencyKind: 'labels',
      buildQuestion: (called) => `Delete label ${called}? It is removed from its assistants.`,
    }),
})
