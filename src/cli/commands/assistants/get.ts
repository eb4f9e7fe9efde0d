import { assistants } from '../../../contract/resources/assistants.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { maskAssistant, unmaskFlag } from '../../secrets/assistant-credentials.ts'
import { findAssistant } from './assistant-record.ts'
import { argument, view } from './view.ts'

export const get = command({
  summary: 'Show an assistant',
  endpoint: assistants.list,
  argument,
  flags: [unmaskFlag],
  examples: ['1', '"Front desk" -o yaml'],
  notes:
    'The platform has no endpoint for a single assistant, so the command searches the list. You can pass the output to "parley assistants update --file".',
  view,
  async run(context, { argument, flags }) {
    if (await previewRequest(context, assistants.list, { per_page: 100 })) return
    const it = await findAssistant(context, argument)
    await context.out.record(flags.unmask ? it : maskAssistant(it), itemShape({ endpoint: assistants.list }) as never)
  },
})
