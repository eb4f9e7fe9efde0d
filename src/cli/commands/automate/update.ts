import { automate } from '../../../contract/automate.ts'
import { noRollback, skipLocalTest } from '../../automations/flags.ts'
import { askChanges, refuseNothing } from '../../changing.ts'
import { command } from '../../command.ts'
import { withIds } from '../../flow-files/named-ids.ts'
import { change, switchOff } from './change.ts'
import { changeDocument, readsChange } from './flow-document.ts'
import { argument, automationId, view } from './view.ts'

export const update = command({
  exits: ['finding', 'unknown', 'connection'],
  endpoint: automate.update,
  argument,
  document: changeDocument,
  flags: [skipLocalTest, noRollback],
  reads: readsChange,
  readsLists: true,
  examples: ['Greeting --name "Good morning"', 'Greeting --file flow.json', 'Greeting --no-enabled'],
  notes: `Only what is given changes. A file holds fields, a new definition, what "parley automate get -o json" prints, or an export; the definition is tested before it goes live.
When a file holds several flows, --flow chooses one by name or number.
A new definition is checked locally first, with --sample or the newest sample the automation was tested with: what would fail wherever it runs exits 20 before anything is sent. When the test on the platform fails, what was live before is live, and enabled when it was: exit 20. When that was cut: exit 12, and parley ops reconcile finishes it. A disabled automation stays disabled. To go back to the version before: parley automate restore.`,
  view,
  async run(context, { argument, input: given, flags }) {
    refuseNothing(context, given, 'Give --name, --enabled, --no-enabled, or a definition with --file.')
    const id = await automationId(context, argument)
    const input = await withIds(context, await askChanges(context, given), flags.file)
    if (input.enabled === false && input.flow === undefined) return switchOff(context, id, input, flags.confirm)
    if (input.flow === undefined) return change(context, id, input)
    await (await import('../../automations/test-effects.ts')).tellTestEffects(context, input.flow, input.sample)
    const { updateSafely } = await import('../../automations/safe-update.ts')
    const outcome = await updateSafely(context, {
      id,
      change: { ...input, flow: input.flow },
      skipLocalTest: flags.skipLocalTest === true,
      rollback: flags.rollbackOnFailure !== false,
      during: 'Building and testing',
    })
    if (outcome.kind === 'shown') return
    return (await import('../../automations/print-outcome.ts')).printOutcome(context, id, outcome)
  },
})
