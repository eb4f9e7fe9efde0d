import { automate } from '../../../contract/automate.ts'
import { command } from '../../command.ts'
import { change } from './change.ts'
import { argument, automationId, view } from './view.ts'

export const disable = command({
  endpoint: automate.update,
  summary: 'Switch an automation off: nothing starts it until it is switched on again',
  risk: 'write',
  argument,
  fills: Object.keys(automate.update.body.shape),
  takes: [],
  examples: ['Greeting'],
  view,
  run: async (context, { argument }) => change(context, await automationId(context, argument), { enabled: false }),
})
