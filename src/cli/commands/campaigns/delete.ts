import { campaigns } from '../../../contract/resources/campaigns.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = deleteCommand({
  endpoint: campaigns.delete,
  argument,
  examples: ['2', '"Call back" --yes'],
  notes: inUseNote,
  target,
  dependencyKind: 'campaigns',
  buildQuestion: (called) => `Delete campaign ${called}? It is stopped first, and all its leads are deleted.`,
})
