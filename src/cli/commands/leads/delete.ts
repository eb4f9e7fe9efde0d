import { leads } from '../../../contract/resources/leads.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource } from '../../consent/delete-resource.ts'
import { argument, leadTarget } from './view.ts'

export const remove = command({
  endpoint: leads.delete,
  argument,
  examples: ['5', '+14155550154 --yes'],
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: leads.delete,
      target: leadTarget(invocation.argument),
      buildQuestion: (called) => `Delete lead ${called} and its secondary contacts?`,
    }),
})
