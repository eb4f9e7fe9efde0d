import { automate } from '../../../contract/resources/automate.ts'
import { changeAutomation } from '../../automations/change-automation.ts'
import { command } from '../../commandline/command.ts'
import { argument, automationId, view } from './view.ts'

export const enable = command({
  endpoint: automate.update,
  exits: ['finding', 'unknown'],
  summary: 'Enable an automation',
  risk: 'write',
  argument,
  filledFields: Object.keys(automate.update.body.shape),
  allowedFields: [],
  examples: ['Greeting'],
  view,
  run: async (context, { argument }) =>
    changeAutomation(context, await automationId(context, argument), { enabled: true }),
})
