import { automate } from '../../../contract/automate.ts'
import type { BuiltAutomation } from '../../../contract/automation-records.ts'
import { command, type Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { withIds } from '../../flow-files/named-ids.ts'
import { askMissing } from '../../missing.ts'
import { builtView, printBuilt } from './built.ts'
import { fileOf, flowDocument, readFlowFile, readsCreation } from './flow-document.ts'
import { sendConfirmed } from './sending.ts'

export const create = command({
  exits: ['finding'],
  endpoint: automate.create,
  document: flowDocument,
  reads: readsCreation,
  readsLists: true,
  examples: [
    '--file automation.yaml',
    '--name "Greeting too" --file flow.json --sample \'{"name": "Ada"}\'',
    '--name Note --file sending.json --confirm-side-effects',
  ],
  notes: `The file holds {name, flow, sample, ...}, a definition alone ({trigger, steps}), what "parley automate get -o json" prints or "parley automate pull" writes, or an export of an editor. When it holds several flows, --flow chooses one by name or number.
The definition is tested with the sample and switched on when the test passes. When the test fails it stays off, exit 20.`,
  view: builtView,
  async run(context, { input: given, flags }) {
    const { enabled, ...input } = await withIds(context, await askMissing(context, automate.create, await withFile(context, given)), flags.file)
    await (await import('../../automations/test-effects.ts')).tellTestEffects(context, input.flow, input.sample)
    const answer = await sendConfirmed(context, automate.create, input, 'Building and testing')
    if (!answer) return
    if (input.sample !== undefined) await (await import('../../automations/samples.ts')).keepSample(context, String(answer.automation_id), input.sample)
    const exit = await printBuilt(context, answer, 'created')
    if (enabled === false && answer.status !== 'test_failed') await switchOffNew(context, answer)
    return exit
  },
})

/** On a terminal, a file is asked for where there is no definition. */
async function withFile(context: Context, input: Input): Promise<Input> {
  if (input.flow !== undefined || !context.interactive) return input
  return { ...(await readFlowFile(context, await fileOf(context, undefined), undefined)), ...input }
}

/** A file that says so makes an automation that is off. */
async function switchOffNew(context: Context, { automation_id: id }: BuiltAutomation): Promise<void> {
  await context.call(automate.update, { id, enabled: false })
  await context.notes.note('Disabled, as the file says (enabled: false).')
}
