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
The version before stays: parley automate restore brings it back.`,
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
