import { type Snapshot, snapshots } from '../../../../contract/control/snapshots.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { confirmPlan, requireConfirmation } from '../../../consent/require-confirmation.ts'
import { describeTime } from '../../../output/time.ts'
import { argument, describeSavedAgain, findSnapshot, nameOf } from './view.ts'

export const remove = command({
  endpoint: snapshots.delete,
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --yes'],
  async run(context, { argument: given }) {
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.delete, { name })) return
    const readPlan = async (): Promise<Snapshot | undefined> => findSnapshot(context, name)
    await confirmPlan(context, {
      plan: context.interactive && !context.globals.yes ? await readPlan() : undefined,
      ask: (plan, isAskedAgain) =>
        requireConfirmation(
          context,
          {
            question: `Delete snapshot "${name}"${plan ? `, saved ${describeTime(plan.saved_at)}` : ''}?`,
            refusalMessage: `Deleting snapshot "${name}" cannot be undone and requires confirmation.`,
          },
          { isAskedAgain },
        ),
      read: readPlan,
      describeChanges: describeSavedAgain,
    })
    const { message } = await context.call(snapshots.delete, { name })
    await printMessage(context, message, name)
  },
})
