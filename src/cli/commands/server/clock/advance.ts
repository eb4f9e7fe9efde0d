import { clock } from '../../../../contract/clock.ts'
import { givenOrTyped } from '../../../asking.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { usage } from '../../../usage.ts'
import { printClock } from './view.ts'

const rule = 'Write a number and a unit: 90s, 30m, 24h, 31d, 4w.'

export const advance = command({
  endpoint: clock.advance,
  fills: ['by'],
  takes: ['coalesce'],
  argument: { name: 'by', describe: 'How far: 90s, 30m, 24h, 31d, 4w' },
  examples: ['24h', '31d --json', '90d --coalesce'],
  notes: `Work that is due on the way is done at once, in order, and printed. A schedule starts one run for each period passed, at most 1 000 a call; --coalesce starts one run for each schedule.`,
  async run(context, { argument: given, input }) {
    const isDuration = (text: string): boolean => /^\d+[smhdw]$/.test(text)
    const argument = await givenOrTyped(context, given, (it) => isDuration(it) || rule, {
      question: 'How far (90s, 30m, 24h, 31d, 4w):',
      missing: 'How far?',
      hint: rule,
    })
    if (!isDuration(argument)) throw usage(`"${argument}" is not a duration.`, rule)
    const state = await send(context, clock.advance, { by: argument, ...(input.coalesce === true && { coalesce: true }) })
    if (state) await printClock(context, state)
  },
})
