import { conversations } from '../../../contract/resources/conversations.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { assistantFlag, target } from '../assistants/view.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: conversations.list,
  filter: { flag: assistantFlag, target },
  examples: ['', '--type widget --date-from 2026-08-01', '--assistant "Front desk" --all -o ndjson'],
  notes: 'Sorted from newest to oldest. Show a conversation: parley conversations get <id>.',
  view,
})
