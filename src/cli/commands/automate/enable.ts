import { automate } from '../../../contract/resources/automate.ts'
import { changeAutomation, describeFailedTest } from '../../automations/change-automation.ts'
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
  async run(context, { argument }) {
    const id = await automationId(context, argument)
    const { dryRun, printCurl } = context.globals
    const failedTest = dryRun || printCurl ? undefined : await describeFailedTest(context, id)
    await changeAutomation(context, id, { enabled: true })
    if (failedTest !== undefined) await context.notes.warn(`It runs now, but ${failedTest}`)
  },
})
