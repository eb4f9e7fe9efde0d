// Commands of `labels`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed. `dependencyKind` is what assistants refer to it by: a deletion names those that do.

import { labels } from '../../../contract/resources/labels.ts'
import { createCommand } from '../../program/commandline/create-command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { updateCommand } from '../../program/commandline/update-command.ts'
import { target, view } from './view.ts'

export const create = createCommand({
  endpoint: labels.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  next: () => 'parley labels list',
})

export const remove = deleteCommand({
  endpoint: labels.delete,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['2', 'production --yes'],
  target,
  dependencyKind: 'labels',
  buildQuestion: (called) => `Delete label ${called}? It is removed from its assistants.`,
})

export const list = listCommand({
  endpoint: labels.list,
  examples: ['', '--all -o id'],
  view,
})

export const update = updateCommand({
  endpoint: labels.update,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['1 --name evening', 'production --color null'],
  view,
  target,
  changesHint: 'Pass --name or --color.',
  next: () => 'parley labels list',
})
