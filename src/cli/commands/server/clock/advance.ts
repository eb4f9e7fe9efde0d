import { clock } from '../../../../contract/clock.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { usage } from '../../../usage.ts'
import { printClock } from './view.ts'

export const advance = command({
  endpoint: clock.advance,
  fills: ['by'],
  takes: [],
  argument: { name: 'by', describe: 'How far: 90s, 30m, 24h, 31d, 4w', optional: false },
  examples: ['24h', '31d --json'],
  notes: 'What falls due on the way is done at once, in order, and printed.',
  async run(context, { argument = '' }) {
    if (!/^\d+[smhdw]$/.test(argument)) throw usage(`"${argument}" is not a duration.`, 'Write a number and a unit: 90s, 30m, 24h, 31d, 4w.')
    const state = await send(context, clock.advance, { by: argument })
    if (state) await printClock(context, state)
  },
})
