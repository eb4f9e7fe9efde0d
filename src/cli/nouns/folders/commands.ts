// Commands of `folders`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed. `dependencyKind` is what assistants refer to it by: a deletion names those that do.

import { folders } from '../../../contract/resources/folders.ts'
import { createCommand } from '../../program/commandline/create-command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { updateCommand } from '../../program/commandline/update-command.ts'
import { target, view } from './view.ts'

export const create = createCommand({
  endpoint: folders.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  next: () => 'parley folders list',
})

export const remove = deleteCommand({
  endpoint: folders.delete,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['2', '"Front desk" --yes'],
  target,
  dependencyKind: 'folders',
  buildQuestion: (called) => `Delete folder ${called}? Its assistants become uncategorized.`,
})

export const list = listCommand({
  endpoint: folders.list,
  examples: ['', '--all -o id'],
  view,
})

export const update = updateCommand({
  endpoint: folders.update,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['1 --name evening', '"Front desk" --color null'],
  view,
  target,
  changesHint: 'Pass --name or --color.',
  next: () => 'parley folders list',
})
