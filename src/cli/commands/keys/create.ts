import { keys } from '../../../contract/resources/keys.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'

export const create = command({
  endpoint: keys.create,
  examples: ['--name ci', '--name ci -o id'],
  notes: 'The token is shown only once and is not saved. With -o id, only the token is printed.',
  view: { id: (it: { token: string }) => it.token, columns: [], empty: '' },
  async run(context, { input }) {
    const answer = await sendRequest(context, keys.create, await promptMissingFields(context, keys.create, input))
    if (!answer) return
    await context.out.record(answer.api_key, itemShape(create) as never)
    await context.notes.note('Save the token now. It is not shown again.')
  },
})
