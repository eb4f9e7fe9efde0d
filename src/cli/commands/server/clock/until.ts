import { clock } from '../../../../contract/clock.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printClock } from './view.ts'

export const until = command({
  endpoint: clock.until,
  fills: ['what'],
  takes: [],
  argument: { name: 'what', describe: 'A time, "next", or a kind of due work: delivery, subscription, campaign.turn', optional: false },
  examples: ['2027-06-01T09:00:00Z', 'next', 'subscription --json'],
  notes: 'What falls due on the way is done at once, in order, and printed.',
  async run(context, { argument = '' }) {
    const state = await send(context, clock.until, { what: argument })
    if (state) await printClock(context, state)
  },
})
