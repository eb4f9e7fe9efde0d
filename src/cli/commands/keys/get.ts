import { keys } from '../../../contract/resources/keys.ts'
import { getFromListCommand } from '../../commandline/get-from-list-command.ts'
import { target, view } from './view.ts'

export const get = getFromListCommand({
  summary: 'Show an API key without its secret',
  endpoint: keys.list,
  argument: { name: 'id', describe: 'Id or name of the key' },
  examples: ['1', 'ci -o yaml'],
  notes: 'The platform has no endpoint for a single key, so the command searches the list.',
  view,
  target,
})
