import { clock } from '../../../../contract/clock.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printClock } from './view.ts'

export const show = command({
  endpoint: clock.show,
  examples: [''],
  async run(context) {
    const state = await send(context, clock.show, {})
    if (state) await printClock(context, state)
  },
})
