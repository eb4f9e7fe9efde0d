import { clock } from '../../../../contract/clock.ts'
import { command } from '../../../command.ts'
import { sendRequest } from '../../../requests.ts'
import { printClock } from './view.ts'

export const show = command({
  endpoint: clock.show,
  examples: [''],
  async run(context) {
    const state = await sendRequest(context, clock.show, {})
    if (state) await printClock(context, state)
  },
})
