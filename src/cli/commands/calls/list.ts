import { calls } from '../../../contract/resources/calls.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { assistantFlag, target } from '../assistants/view.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: calls.list,
  filter: { flag: assistantFlag, target },
  examples: ['', '--status no-answer --date-from 2026-08-01', '--assistant Recall --json'],
  notes: 'Sorted from newest to oldest. Show a call with its transcript: parley calls get <id>.',
  view,
})
