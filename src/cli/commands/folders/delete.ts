import { folders } from '../../../contract/resources/folders.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource } from '../../consent/delete-resource.ts'
import { target } from './view.ts'

export const remove = command({
  endpoint: folders.delete,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['2', '"Front desk" --yes'],
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: folders.delete,
      target,
      dependencyKind: 'folders',
      buildQuestion: (called) => `Delete folder ${called}? Its assistants become uncategorized.`,
    }),
})
