import { clock } from '../../../../contract/clock.ts'
import { givenOrTyped } from '../../../asking.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printClock } from './view.ts'

export const until = command({
  endpoint: clock.until,
  fills: ['what'],
  takes: [],
  argument: { name: 'what', describe: 'A time, "next", or a kind of due work: delivery, subscription, campaign.turn' },
  examples: ['2027-06-01T09:00:00Z', 'next', 'subscription --json'],
  notes: 'What falls due on the way is done at once, in order, and printed.',
  async run(context, { argument: given }) {
    const hint = 'A time, "next", or a kind of due work.'
    const what = await givenOrTyped(context, given, (it) => it !== '' || hint, { question: 'Until when, or what (next):', missing: 'Until what?', hint })
    const state = await send(context, clock.until, { what })
    if (state) await printClock(context, state)
  },
})
