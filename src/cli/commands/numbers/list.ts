import { numbers } from '../../../contract/resources/numbers.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { ownedNumberView } from './view.ts'

export const list = listCommand({
  endpoint: numbers.list,
  examples: ['', '-o tsv'],
  view: ownedNumberView,
})
