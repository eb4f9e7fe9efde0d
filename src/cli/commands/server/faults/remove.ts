import { faults } from '../../../../contract/control/faults.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { requestById } from '../../../input/request-by-id.ts'
import type { Target } from '../../../input/resolve-target.ts'

const target: Target = {
  singular: 'fault',
  list: faults.list,
  listCommand: 'server faults list',
  by: [],
  label: (it) => `${it.id} ${it.endpoint}`,
}

export const remove = command({
  endpoint: faults.remove,
  argument: { name: 'id', describe: 'Id of the fault rule' },
  examples: ['1'],
  async run(context, { argument }) {
    const [id, answer] = await requestById(
      context,
      argument,
      target,
      async (id) => [id, await sendRequest(context, faults.remove, { id })] as const,
    )
    if (answer) await printMessage(context, answer.message, id)
  },
})
