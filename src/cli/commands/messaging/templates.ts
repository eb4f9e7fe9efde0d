import { messaging } from '../../../contract/messaging.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { resolveId } from '../../target.ts'
import { senderTarget, templateView } from './view.ts'

export const templates = command({
  endpoint: messaging.templates,
  argument: { name: 'sender', describe: 'Id, number or name of the sender' },
  examples: ['1', '+14155550170 --status all', '1 --json'],
  view: templateView,
  async run(context, { argument, input }) {
    const senderId = await resolveId(context, argument, senderTarget)
    await printList(context, messaging.templates, { ...input, senderId })
    await context.notes.note(`Send one: parley messaging send --sender ${senderId} --template <id> --to <number>`)
  },
})
