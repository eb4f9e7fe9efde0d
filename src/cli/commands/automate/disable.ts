import { automate } from '../../../contract/resources/automate.ts'
import { disableAutomation } from '../../automations/change-automation.ts'
import { command } from '../../commandline/command.ts'
import { argument, automationId, view } from './view.ts'

export const disable = command({
  confirmsName: true,
  endpoint: automate.update,
  exits: ['finding', 'unknown'],
  summary: 'Disable an automation',
  risk: 'write',
  reducesHarm: true,
  argument,
  filledFields: Object.keys(automate.update.body.shape),
  allowedFields: [],
  examples: ['Greeting'],
  view,
  notes:
    'Lists what uses the automation first. When it is in use, for example by a tool of an assistant or by an event, type its name to confirm, or pass --yes.',
  run: async (context, { argument, flags }) =>
    disableAutomation(context, await automationId(context, argument), { enabled: false }, flags.confirm),
})
