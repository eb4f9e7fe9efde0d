import { tools } from '../../../contract/resources/tools.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { inUseNote } from '../../consent/delete-resource.ts'
import { target } from './view.ts'

export const remove = deleteCommand({
  endpoint: tools.delete,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  examples: ['3', 'lookup_patient --confirm lookup_patient'],
  notes: inUseNote,
  target,
  dependencyKind: 'tools',
  buildQuestion: (called) => `Delete tool ${called}? Assistants lose access to it.`,
})
