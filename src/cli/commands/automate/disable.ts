import { automate } from '../../../contract/resources/automate.ts'
import { disableAutomation } from '../../automations/change-automation.ts'
import { command } from '../../commandline/command.ts'
import { argument, automationId, view } from './view.ts'

export const disable = command({
  endpoint: automate.update,
  exits: ['finding', 'unknown'],
  summary: 'Disable an automation until it is enabled again',
  risk: 'write',
  argument,
  filledFields: Object.keys(automate.update.body.shape),
  allowedFields: [],
  examples: ['Greeting'],
  view,
  notes:
    'Shows what uses the automation first. When something live uses it, such as an assistant tool or an event, confirm by typing its name or pass --yes.',
  run: async (context, { argument, flags }) =>
    disableAutomation(context, await automationId(context, argument), { enabled: false }, flags.confirm),
})
