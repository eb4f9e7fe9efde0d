import { type Snapshot, snapshots } from '../../../../contract/control/snapshots.ts'
import { command } from '../../../commandline/command.ts'
import { requireControlAccess } from '../../../connection/control-access.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { confirmPlan, requireConfirmation } from '../../../consent/require-confirmation.ts'
import { describeDataChanges, type LostData, lostDataText, readLostData } from '../lost-data.ts'
import { view } from '../seed-platform.ts'
import { argument, describeSavedAgain, findSnapshot, nameOf } from './view.ts'

interface RestorePlan {
  readonly snapshot: Snapshot | undefined
  readonly lost: LostData | undefined
}

export const restore = command({
  endpoint: snapshots.restore,
  argument: { ...argument, optional: true },
  startsEmpty: true,
  examples: ['before-tests', 'before-tests --yes'],
  notes:
    'A running server completes its current requests, then continues with the restored data, time and key. Automations and deliveries resume from the restored state, so messages sent since then may be sent again. The operations journal (parley ops) does not change. Bulk operations forget which rows of a file they have sent.',
  async run(context, { argument: given }) {
    const folder = await requireControlAccess(context)
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.restore, { name })) return
    const isAsked = context.interactive && !context.globals.yes
    const readPlan = async (): Promise<RestorePlan> => ({
      snapshot: await findSnapshot(context, name),
      lost: await readLostData(context),
    })
    await confirmPlan<RestorePlan | undefined>(context, {
      plan: isAsked ? await readPlan() : undefined,
      ask: (plan, isAskedAgain) =>
        requireConfirmation(
          context,
          {
            question: `Restore the platform in ${folder}${lostDataText(plan?.lost)} from snapshot "${name}"? All changes since then are lost, including new keys.`,
            refusalMessage: `Restoring "${name}" discards all later changes on the platform in ${folder} and requires confirmation.`,
          },
          { isAskedAgain },
        ),
      read: readPlan,
      describeChanges: (agreed, current) => [
        ...describeSavedAgain(agreed?.snapshot, current?.snapshot),
        ...describeDataChanges(agreed?.lost, current?.lost),
      ],
    })
    const { message, token } = await context.progress.showWhile('Restoring', context.call(snapshots.restore, { name }))
    // Rows that were sent since the snapshot are not on the platform any more.
    ;(await import('../../../bulk/purge-ledgers.ts')).deleteLocalProgress(context.system)
    await context.out.record({ message, key: token }, { view } as never)
  },
})
