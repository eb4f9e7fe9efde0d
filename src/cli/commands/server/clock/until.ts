import { clock } from '../../../../contract/clock.ts'
import { givenOrTyped } from '../../../asking.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printClock } from './view.ts'

export const until = command({
  endpoint: clock.until,
  fills: ['what'],
  takes: ['coalesce'],
  argument: { name: 'what', describe: 'A time, "next", or a kind of due work: delivery, subscription, campaign.turn' },
  examples: ['2027-06-01T09:00:00Z', 'next', 'subscription --json'],
  notes: `Work that is due on the way is done at once, in order, and printed. A schedule starts one run for each period passed, at most 1 000 a call; --coalesce starts one run for each schedule.`,
  async run(context, { argument: given, input }) {
    const hint = 'A time, "next", or a kind of due work.'
    const what = await givenOrTyped(context, given, (it) => it !== '' || hint, { question: 'Until when, or what (next):', missing: 'Until what?', hint })
    const state = await send(context, clock.until, { what, ...(input.coalesce === true && { coalesce: true }) })
    if (state) await printClock(context, state)
  },
})
