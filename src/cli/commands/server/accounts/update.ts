import { accounts } from '../../../../contract/control/accounts.ts'
import { updateCommand } from '../../../commandline/update-command.ts'
import type { Target } from '../../../input/resolve-target.ts'
import { view } from './view.ts'

export const accountTarget: Target = {
  singular: 'account',
  list: accounts.list,
  listCommand: 'server accounts list',
  by: ['name', 'email'],
  label: (it) => `${it.name} (${it.id})`,
}

export const update = updateCommand({
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
  target: accountTarget,
  changesHint: 'Pass --top-up, --balance, --payment-method, --max-campaigns, --name or --email.',
  next: () => 'parley server accounts list',
})
