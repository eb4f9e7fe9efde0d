import { automate } from '../../../contract/automate.ts'
import { command } from '../../command.ts'
import { change } from './change.ts'
import { argument, automationId, view } from './view.ts'

export const enable = command({
  endpoint: automate.update,
  exits: ['finding', 'unknown'],
  summary: 'Switch an automation on',
  risk: 'write',
  argument,
  fills: Object.keys(automate.update.body.shape),
  takes: [],
  examples: ['Greeting'],
  view,
  run: async (context, { argument }) => change(context, await automationId(context, argument), { enabled: true }),
})
