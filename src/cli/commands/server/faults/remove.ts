import { faults } from '../../../../contract/faults.ts'
import { command } from '../../../command.ts'
import { confirmDone } from '../../../deletion.ts'
import { send } from '../../../requests.ts'
import { resolveId, type Target } from '../../../target.ts'

const target: Target = { thing: 'fault', list: faults.list, listed: 'server faults list', by: [], label: (it) => `${it.id} ${it.endpoint}` }

export const remove = command({
  endpoint: faults.remove,
  argument: { name: 'id', describe: 'Id of the fault' },
  examples: ['1'],
  async run(context, { argument }) {
    const id = await resolveId(context, argument, target)
    const answer = await send(context, faults.remove, { id })
    if (answer) await confirmDone(context, answer.message, id)
  },
})
