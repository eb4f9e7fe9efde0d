import { messaging } from '../../../contract/resources/messaging.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { senderTarget, templateView } from './view.ts'

export const templates = command({
  endpoint: messaging.templates,
  argument: { name: 'sender', describe: 'Id, number or name of the sender' },
  examples: ['1', '+14155550170 --status all', '1 --json'],
  view: templateView,
  async run(context, { argument, input }) {
    const senderId = await resolveId(context, argument, senderTarget)
    await printList(context, messaging.templates, { ...input, senderId })
    await context.notes.note(
      `Send a template: parley messaging send --sender ${senderId} --template <id> --to <number>`,
    )
  },
})
