import { automate } from '../../../contract/resources/automate.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = deleteCommand({
  endpoint: automate.delete,
  argument,
  examples: ['Greeting', 'Greeting --yes'],
  notes: inUseNote,
  target,
  dependencyKind: 'automate',
  buildQuestion: (id) => `Delete automation ${id}, its versions and its runs? Its assistant is no longer bound to it.`,
})
