import { campaigns } from '../../../contract/campaigns.ts'
import { command } from '../../command.ts'
import { deleteResource, inUseNote } from '../../deletion.ts'
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
      buildQuestion: (called) => `Delete campaign ${called}? It is stopped, and all its leads go with it.`,
    }),
})
