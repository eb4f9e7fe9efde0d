import { faults } from '../../../../contract/faults.ts'
import { command } from '../../../command.ts'
import { printMessage } from '../../../deletion.ts'
import { sendRequest } from '../../../requests.ts'
import { resolveId, type Target } from '../../../target.ts'

const target: Target = { singular: 'fault', list: faults.list, listCommand: 'server faults list', by: [], label: (it) => `${it.id} ${it.endpoint}` }

export const remove = command({
  endpoint: faults.remove,
  argument: { name: 'id', describe: 'Id of the fault' },
  examples: ['1'],
  async run(context, { argument }) {
    const id = await resolveId(context, argument, target)
    const answer = await sendRequest(context, faults.remove, { id })
    if (answer) await printMessage(context, answer.message, id)
  },
})
