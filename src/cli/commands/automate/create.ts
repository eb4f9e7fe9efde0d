import { automate } from '../../../contract/automate.ts'
import { command } from '../../command.ts'
import { askMissing } from '../../missing.ts'
import { builtView, printBuilt } from './built.ts'
import { flowDocument, withFlow } from './flow-document.ts'
import { sendConfirmed } from './sending.ts'

export const create = command({
  exits: ['finding'],
  endpoint: automate.create,
  document: flowDocument,
  examples: [
    '--file automation.yaml',
    '--name "Greeting too" --file flow.json --sample \'{"name": "Ada"}\'',
    '--name Note --file sending.json --confirm-side-effects',
  ],
  notes: `The file holds {name, flow, sample, ...}, or a definition alone: {trigger, steps}.
It is tested with the sample and switched on when that goes well; exit 20 when the test failed, and it stays off.`,
  view: builtView,
  async run(context, { input }) {
    const body = await askMissing(context, automate.create, withFlow(input))
    const answer = await sendConfirmed(context, automate.create, body, 'Building and testing')
    if (answer && body.sample !== undefined) {
      const { keepSample } = await import('../../automations/samples.ts')
      await keepSample(context, String(answer.automation_id), body.sample)
    }
    return answer && printBuilt(context, answer, 'created')
  },
})
