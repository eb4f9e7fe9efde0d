import { clock } from '../../../../contract/clock.ts'
import { command } from '../../../command.ts'
import { sendRequest } from '../../../requests.ts'
import { printClock } from './view.ts'

export const resume = command({
  endpoint: clock.resume,
  examples: [''],
  async run(context) {
    const state = await sendRequest(context, clock.resume, {})
    if (state) await printClock(context, state)
  },
})
