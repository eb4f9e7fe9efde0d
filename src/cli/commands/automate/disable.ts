import { automate } from '../../../contract/resources/automate.ts'
import { disableAutomation } from '../../automations/change-automation.ts'
import { command } from '../../commandline/command.ts'
import { argument, automationId, view } from './view.ts'

export const disable = command({
  endpoint: automate.update,
  exits: ['finding', 'unknown'],
  summary: 'Switch an automation off: nothing starts it until it is switched on again',
  risk: 'write',
  argument,
  filledFields: Object.keys(automate.update.body.shape),
  allowedFields: [],
  examples: ['Greeting'],
  view,
  notes:
    'What relies on it is shown before. Where something live does, such as a tool of an assistant or an event, its name is typed, or --yes given.',
  run: async (context, { argument, flags }) =>
    disableAutomation(context, await automationId(context, argument), { enabled: false }, flags.confirm),
})
