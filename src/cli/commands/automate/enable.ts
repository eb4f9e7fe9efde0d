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
    await changeAutomation(context, id, { enabled: true })
    const { dryRun, printCurl } = context.globals
    if (dryRun || printCurl) return
    // It is enabled, whatever can be read of its tests.
    const failedTest = await describeFailedTest(context, id).catch(() => undefined)
    if (failedTest !== undefined) await context.notes.warn(`It runs now, but ${failedTest}`)
  },
})
