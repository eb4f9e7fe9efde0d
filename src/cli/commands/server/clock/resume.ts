import { clock } from '../../../../contract/clock.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printClock } from './view.ts'

export const resume = command({
  endpoint: clock.resume,
  examples: [''],
  async run(context) {
    const state = await send(context, clock.resume, {})
    if (state) await printClock(context, state)
  },
})
