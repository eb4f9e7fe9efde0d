import { snapshots } from '../../../../contract/control/snapshots.ts'
import { command } from '../../../commandline/command.ts'
import { requireControlAccess } from '../../../connection/control-access.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { requireConfirmation } from '../../../consent/require-confirmation.ts'
import { view } from '../seed-platform.ts'
import { argument, nameOf } from './view.ts'

export const restore = command({
  endpoint: snapshots.restore,
  argument: { ...argument, optional: true },
  startsEmpty: true,
  examples: ['before-tests', 'before-tests --yes'],
  notes:
    'A server may be running: it finishes the requests it has, and goes on with what was saved, its time and its key too. Automations and deliveries are taken up where they were then; what was sent since may be sent again. The journal of spends (parley ops) stays as it is.',
  async run(context, { argument: given }) {
    const folder = await requireControlAccess(context)
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.restore, { name })) return
    await requireConfirmation(context, {
      question: `Put the platform in ${folder} back to "${name}"? Whatever has changed since is lost, keys that were made since too.`,
      refusalMessage: `Restoring "${name}" loses whatever has changed since on the platform in ${folder}, and needs consent.`,
    })
    const { message, token } = await context.progress.showWhile('Restoring', context.call(snapshots.restore, { name }))
    await context.out.record({ message, key: token }, { view } as never)
  },
})
