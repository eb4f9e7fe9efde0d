import { calls } from '../../../contract/resources/calls.ts'
import { command } from '../../commandline/command.ts'
import { requestById } from '../../input/request-by-id.ts'
import { printList } from '../../output/print-list.ts'
import { target } from '../assistants/view.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: calls.list,
  filledFields: ['assistant_id'],
  flags: [{ flags: '--assistant <id>', describe: 'Id, UUID or name of the assistant', field: 'assistant_id' }],
  examples: ['', '--status no-answer --date-from 2026-08-01', '--assistant Recall --json'],
  notes: 'Sorted from newest to oldest. Show a call with its transcript: parley calls get <id>.',
  view,
  async run(context, { input, flags }) {
    const { assistant } = flags
    if (assistant === undefined) return printList(context, calls.list, input)
    await requestById(context, String(assistant), target, (id) =>
      printList(context, calls.list, { ...input, assistant_id: id }),
    )
  },
})
