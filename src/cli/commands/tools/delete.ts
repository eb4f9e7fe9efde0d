import { tools } from '../../../contract/resources/tools.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource, inUseNote } from '../../consent/delete-resource.ts'
import { target } from './view.ts'

export const remove = command({
  endpoint: tools.delete,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  examples: ['3', 'lookup_patient --confirm lookup_patient'],
  notes: inUseNote,
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: tools.delete,
      target,
      dependencyKind: 'tools',
      buildQuestion: (called) => `Delete tool ${called}? Assistants lose access to it.`,
    }),
})
