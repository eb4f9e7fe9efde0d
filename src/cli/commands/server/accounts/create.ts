import { accounts } from '../../../../contract/control/accounts.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { promptMissingFields } from '../../../prompts/prompt-fields.ts'
import { keyView as view } from './key-view.ts'

export const create = command({
  endpoint: accounts.create,
  examples: [
    '--name "Second practice" --balance 10 --payment-method pm_card_visa',
    '--name Direct --kind direct --balance 100',
  ],
  notes: 'Use its key in a separate profile or in PARLEY_API_KEY.',
  view,
  async run(context, { input }) {
    const answer = await sendRequest(
      context,
      accounts.create,
      await promptMissingFields(context, accounts.create, input),
    )
    if (!answer) return
    await context.out.record({ ...answer.data, key: answer.token }, { view })
    await context.notes.note('Save the key now. It is not shown again.')
  },
})
