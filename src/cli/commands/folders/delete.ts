import { folders } from '../../../contract/resources/folders.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { target } from './view.ts'

export const remove = deleteCommand({
  endpoint: folders.delete,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['2', '"Front desk" --yes'],
  target,
  dependencyKind: 'folders',
  buildQuestion: (called) => `Delete folder ${called}? Its assistants become uncategorized.`,
})
