import { automate } from '../../../contract/automate.ts'
import type { BuiltAutomation } from '../../../contract/automation-records.ts'
import { command } from '../../command.ts'
import { usage } from '../../usage.ts'
import { printBuilt } from './built.ts'
import { change, switchOff } from './change.ts'
import { changeDocument, withFlow } from './flow-document.ts'
import { sendConfirmed } from './sending.ts'
import { argument, automationId, view } from './view.ts'

export const update = command({
  exits: ['finding'],
  endpoint: automate.update,
  argument,
  document: changeDocument,
  examples: ['Greeting --name "Good morning"', 'Greeting --file flow.json', 'Greeting --no-enabled'],
  notes: `Only what is given changes. A file holds a new definition, {trigger, steps}, or fields; the definition is tested before it goes live, as with create.
The version before stays: parley automate restore brings it back.`,
  view,
  async run(context, { argument, input: given, flags }) {
    const input = withFlow(given)
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --name, --enabled, --no-enabled, or a definition with --file.')
    const id = await automationId(context, argument)
    if (input.enabled === false && input.flow === undefined) return switchOff(context, id, input, flags.confirm)
    if (input.flow === undefined) return change(context, id, input)
    const answer = await sendConfirmed(context, automate.update, { ...input, id }, 'Building and testing')
    return answer && printBuilt(context, answer as BuiltAutomation, 'updated')
  },
})
