import { faults } from '../../../../contract/faults.ts'
import { command } from '../../../command.ts'
import { sendRequest } from '../../../requests.ts'

export const clear = command({
  endpoint: faults.clear,
  examples: [''],
  async run(context) {
    const answer = await sendRequest(context, faults.clear, {})
    if (!answer) return
    if (context.out.settings.form === 'table') await context.out.line(answer.message)
    else await context.out.record(answer, { view: { id: (it: { message: string }) => it.message, columns: [], empty: '' } })
  },
})
