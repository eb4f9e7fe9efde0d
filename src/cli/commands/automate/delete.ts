import { automate } from '../../../contract/automate.ts'
import { command } from '../../command.ts'
import { deleteResource, inUseNote } from '../../deletion.ts'
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
      buildQuestion: (id) => `Delete automation ${id}? Its versions and runs go with it, and its assistant is freed.`,
    }),
})
