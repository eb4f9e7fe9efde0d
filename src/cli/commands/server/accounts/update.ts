import { accounts } from '../../../../contract/control/accounts.ts'
import { command } from '../../../commandline/command.ts'
import type { Target } from '../../../input/resolve-target.ts'
import { findInList, resolveForUpdate } from '../../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../../updates/prompt-changes.ts'
import { applyUpdate } from '../../../updates/send-update.ts'
import { view } from './view.ts'

export const accountTarget: Target = {
  singular: 'account',
  list: accounts.list,
  listCommand: 'server accounts list',
  by: ['name', 'email'],
  label: (it) => `${it.name} (${it.id})`,
}

export const update = command({
  endpoint: accounts.update,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: [
    '1 --top-up 20',
    '1 --balance 0',
    '1 --payment-method null',
    '1 --payment-method pm_card_declined',
    '1 --max-campaigns 3',
  ],
  view,
  async run(context, { argument, input }) {
    requireChanges(context, input, 'Pass --top-up, --balance, --payment-method, --max-campaigns, --name or --email.')
    const { id, previous } = await resolveForUpdate(context, argument, accountTarget, {
      read: findInList(accountTarget),
    })
    await applyUpdate(context, {
      endpoint: accounts.update,
      ids: { id },
      change: await promptChanges(context, input),
      previous,
      next: 'parley server accounts list',
    })
  },
})
