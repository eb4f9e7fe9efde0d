import { automate } from '../../../contract/resources/automate.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { renderFlowTree } from '../../flow-files/flow-tree.ts'
import { itemShape } from '../../output/item-shape.ts'
import { argument, automationId, view } from './view.ts'

export const get = command({
  endpoint: automate.get,
  argument,
  filledFields: ['include_secrets'],
  flags: [{ flags: '--unmask', describe: 'Show keys and tokens instead of masking them', field: 'include_secrets' }],
  examples: ['Greeting', 'Greeting -o yaml', 'Greeting --draft'],
  notes:
    'The table output shows the steps, indented by branch and loop. Use -o json or -o yaml for the whole definition.',
  view,
  async run(context, { argument, input, flags }) {
    const id = await automationId(context, argument)
    const answer = await sendRequest(context, automate.get, {
      ...input,
      ...(flags.unmask && { include_secrets: true }),
      id,
    })
    if (!answer) return
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(answer.data, itemShape(context.command) as never)
    const { definition, ...about } = answer.data
    await out.record(about)
    const lines = renderFlowTree(definition)
    if (lines.length > 0) await context.system.streams.stdout.write(`\n${lines.join('\n')}\n`)
  },
})
