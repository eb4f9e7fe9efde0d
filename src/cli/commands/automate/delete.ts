import { automate } from '../../../contract/resources/automate.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource, inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = command({
  endpoint: automate.delete,
  argument,
  examples: ['Greeting', 'Greeting --yes'],
  notes: inUseNote,
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: automate.delete,
      target,
      dependencyKind: 'automate',
      buildQuestion: (id) =>
        `Delete automation ${id}, its versions and its runs? Its assistant is no longer bound to it.`,
    }),
})
