import type { BuiltAutomation } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { builtView, printBuilt } from '../../automations/print-built.ts'
import { type CommandInput, command } from '../../commandline/command.ts'
import { sendWithConfirmation } from '../../consent/confirm-side-effects.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { createRequestParser, flowDocument, promptFlowFile, readFlowFile } from '../../flow-files/flow-document.ts'
import { resolveFlowNames } from '../../flow-files/resolve-flow-names.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'

export const create = command({
  exits: ['finding'],
  endpoint: automate.create,
  document: flowDocument,
  documentParser: createRequestParser,
  acceptsLists: true,
  examples: [
    '--file automation.yaml',
    '--name "Greeting too" --file flow.json --sample \'{"name": "Ada"}\'',
    '--name Note --file sending.json --confirm-side-effects',
  ],
  notes: `The file can hold {name, flow, sample, ...}, a definition alone ({trigger, steps}), output of "parley automate get -o json", a file of "parley automate pull", or an editor export. When it holds several flows, --flow chooses one by name or number.
The definition is tested with the sample and enabled when the test passes. When the test fails, the automation stays disabled and the exit code is 20.`,
  view: builtView,
  async run(context, { input: given, flags }) {
    const { enabled, ...input } = await resolveFlowNames(
      context,
      await promptMissingFields(context, automate.create, await withFile(context, given)),
      flags.file,
    )
    await (await import('../../automations/test-effects.ts')).noteTestEffects(context, input.flow, input.sample)
    const answer = await sendWithConfirmation(context, automate.create, input, 'Building and testing the automation')
    if (!answer) return
    if (input.sample !== undefined)
      await (await import('../../automations/test-samples.ts')).saveSample(
        context,
        String(answer.automation_id),
        input.sample,
      )
    const exit = await printBuilt(context, answer, 'created')
    if (enabled === false && answer.status !== 'test_failed') await switchOffNew(context, answer)
    return exit
  },
})

/** Prompts for a file on a terminal if the definition is missing. */
async function withFile(context: Context, input: CommandInput): Promise<CommandInput> {
  if (input.flow !== undefined) return input
  if (!context.interactive)
    throw usageError(
      'Missing definition.',
      'Pass a file with --file automation.yaml, or start from a template: parley automate templates.',
    )
  return { ...(await readFlowFile(context, await promptFlowFile(context, undefined), undefined)), ...input }
}

/** Disables the automation if its file has `enabled: false`. */
async function switchOffNew(context: Context, { automation_id: id }: BuiltAutomation): Promise<void> {
  await context.call(automate.update, { id, enabled: false })
  await context.notes.note('Disabled, because the file has enabled: false.')
}
