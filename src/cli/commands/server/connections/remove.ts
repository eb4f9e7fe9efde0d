import { connections } from '../../../../contract/connections.ts'
import { command } from '../../../command.ts'
import { consent } from '../../../consent.ts'
import { confirmDone } from '../../../deletion.ts'
import { showOnly } from '../../../requests.ts'
import { resolveId } from '../../../target.ts'
import { accountFlag, accountId, argument, targetOf } from './view.ts'

export const remove = command({
  endpoint: connections.remove,
  argument,
  flags: [accountFlag],
  examples: ['mail --yes'],
  async run(context, { argument, flags }) {
    const account = await accountId(context, flags.account)
    const id = await resolveId(context, argument, targetOf(account))
    if (await showOnly(context, connections.remove, { account, id })) return
    await consent(context, {
      ask: `Take connection ${id} away? Automations that use it fail.`,
      without: `Taking connection ${id} away cannot be undone and needs consent.`,
    })
    await confirmDone(context, (await context.call(connections.remove, { account, id })).message, id)
  },
})
