import { clock } from '../../../../contract/control/clock.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { printClock } from './view.ts'

export const resume = command({
  endpoint: clock.resume,
  examples: [''],
  async run(context) {
    const state = await sendRequest(context, clock.resume, {})
    if (state) await printClock(context, state)
  },
})
