import { conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import { requestById } from '../../input/request-by-id.ts'
import { printList } from '../../output/print-list.ts'
import { target } from '../assistants/view.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: conversations.list,
  filledFields: ['assistant_id'],
  flags: [{ flags: '--assistant <id>', describe: 'Id, UUID or name of the assistant', field: 'assistant_id' }],
  examples: ['', '--type widget --date-from 2026-08-01', '--assistant "Front desk" --all -o ndjson'],
  notes: 'Sorted from newest to oldest. Show a conversation: parley conversations get <id>.',
  view,
  async run(context, { input, flags }) {
    const { assistant } = flags
    if (assistant === undefined) return printList(context, conversations.list, input)
    await requestById(context, String(assistant), target, (id) =>
      printList(context, conversations.list, { ...input, assistant_id: id }),
    )
  },
})
