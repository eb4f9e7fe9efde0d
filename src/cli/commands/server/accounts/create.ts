import { accounts } from '../../../../contract/control.ts'
import { command } from '../../../command.ts'
import { askMissing } from '../../../missing.ts'
import type { View } from '../../../output/form.ts'
import { send } from '../../../requests.ts'

const view: View<{ readonly key: string }> = { id: (it) => it.key, columns: [{ key: 'key', title: 'Key', priority: 1 }], empty: '' }

export const create = command({
  endpoint: accounts.create,
  examples: ['--name "Second practice" --balance 10 --payment-method pm_card_visa', '--name Direct --kind direct --balance 100'],
  notes: 'Use its key with a profile of its own, or in PARLEY_API_KEY.',
  view,
  async run(context, { input }) {
    const answer = await send(context, accounts.create, await askMissing(context, accounts.create, input))
    if (!answer) return
    await context.out.record({ ...answer.data, key: answer.token }, { view })
    await context.notes.note('Keep the key now: it is not shown again.')
  },
})
