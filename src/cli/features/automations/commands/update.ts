import { automate } from '../../../../contract/resources/automate.ts'
import { command } from '../../../program/commandline/command.ts'
import { requireConfirmedName } from '../../../program/consent/require-confirmation.ts'
import { confirmDisable } from '../../../program/dependencies/dependents.ts'
import { promptChanges, requireChanges } from '../../../program/updates/prompt-changes.ts'
import { changeAutomation, disableAutomation } from '../change-automation.ts'
import { updateDocument, updateRequestParser } from '../flow-files/flow-document.ts'
import { resolveFlowNames } from '../flow-files/resolve-flow-names.ts'
import { printUpdateOutcome } from '../print-update-outcome.ts'
import { updateSafely } from '../safe-update.ts'
import { noteTestEffects } from '../test-effects.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../write-flags.ts'
import { argument, automationId, view } from './view.ts'

export const update = command({
  confirmsName: true,
  exits: ['finding', 'unknown', 'connection'],
  endpoint: automate.update,
  argument,
  document: updateDocument,
  flags: [skipLocalTestFlag, noRollbackFlag],
  documentParser: updateRequestParser,
  acceptsLists: true,
  examples: ['Greeting --name "Good morning"', 'Greeting --file flow.json', 'Greeting --no-enabled'],
  notes: `Only the given fields change. A file can hold fields, a new definition, output of "parley automate get -o json", or an export. The definition is tested before it goes live.
When a file holds several flows, --flow chooses one by name or number.
A new definition is checked locally first, with --sample or the newest sample it was tested with. When the local check fails, nothing is sent and the exit code is 20. When the test on the platform fails, the previous version stays live or is restored, enabled if it was, and the exit code is 20. When an update is interrupted, the exit code is 12 and "parley ops reconcile" finishes it. A disabled automation stays disabled. When another version was published in between, a deployment with a version guard refuses the update and the exit code is 5. To go back to the previous version: parley automate restore.`,
  view,
  async run(context, { argument, input: given, flags }) {
    requireChanges(context, given, 'Pass --name, --enabled, --no-enabled, or a definition with --file.')
    const id = await automationId(context, argument)
    const input = await resolveFlowNames(context, await promptChanges(context, given), flags.file)
    // Disabling sends no definition: only what uses the automation is confirmed.
    if (input.enabled === false && input.flow === undefined) return disableAutomation(context, id, input, flags.confirm)
    // Nothing is asked here, but a --confirm with another name is refused. The other branch checks it in `confirmDisable`.
    if (input.enabled !== false) await requireConfirmedName(context, flags.confirm, [argument, input.name])
    if (input.flow === undefined) return changeAutomation(context, id, input)
    // A new definition does not change that disabling stops what uses the automation. Previews ask nothing.
    if (input.enabled === false && !context.globals.dryRun && !context.globals.printCurl)
      await confirmDisable(context, id, flags.confirm, true)
    await noteTestEffects(context, input.flow, input.sample)
    const { skipLocalTest, rollback } = parseWriteOptions(flags)
    const outcome = await updateSafely(context, {
      id,
      change: { ...input, flow: input.flow },
      skipLocalTest,
      rollback,
      progressText: 'Building and testing the automation',
    })
    if (outcome.kind === 'shown') return
    return printUpdateOutcome(context, id, outcome)
  },
})
