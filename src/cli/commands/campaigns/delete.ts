import { campaigns } from '../../../contract/resources/campaigns.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource, inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = command({
  endpoint: campaigns.delete,
  argument,
  examples: ['2', '"Call back" --yes'],
  notes: inUseNote,
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: campaigns.delete,
      target,
      dependencyKind: 'campaigns',
      buildQuestion: (called) => `Delete campaign ${called}? It is stopped first, and all its leads are deleted.`,
    }),
})
