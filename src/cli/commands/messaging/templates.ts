import { messaging } from '../../../contract/resources/messaging.ts'
import { command } from '../../commandline/command.ts'
import { requestById } from '../../input/request-by-id.ts'
import { printList } from '../../output/print-list.ts'
import { senderTarget, templateView } from './view.ts'

export const templates = command({
  endpoint: messaging.templates,
  argument: { name: 'sender', describe: 'Id, number or name of the sender' },
  isList: true,
  examples: ['1', '+14155550170 --status all', '1 --json'],
  view: templateView,
  async run(context, { argument, input }) {
    const senderId = await requestById(context, argument, senderTarget, async (id) => {
      await printList(context, messaging.templates, { ...input, senderId: id })
      return id
    })
    await context.notes.note(
      `Send a template: parley messaging send --sender ${senderId} --template <id> --to <number>`,
    )
  },
})
