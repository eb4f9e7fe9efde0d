import { clock } from '../../../../contract/control/clock.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { printClock } from './view.ts'

export const freeze = command({
  endpoint: clock.freeze,
  examples: ['', '--at 2026-01-31T09:00:00Z'],
  async run(context, { input }) {
    const state = await sendRequest(context, clock.freeze, input)
    if (state) await printClock(context, state)
  },
})
