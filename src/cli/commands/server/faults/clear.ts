import { faults } from '../../../../contract/control/faults.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'

export const clear = command({
  endpoint: faults.clear,
  examples: [''],
  async run(context) {
    const answer = await sendRequest(context, faults.clear, {})
    if (!answer) return
    if (context.out.settings.form === 'table') await context.out.done(answer.message)
    else
      await context.out.record(answer, {
        view: { id: (it: { message: string }) => it.message, columns: [], empty: '' },
      })
  },
})
