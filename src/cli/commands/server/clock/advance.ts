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
  takes: [],
  argument: { name: 'by', describe: 'How far: 90s, 30m, 24h, 31d, 4w' },
  examples: ['24h', '31d --json'],
  notes: 'What falls due on the way is done at once, in order, and printed.',
  async run(context, { argument: given }) {
    const isDuration = (text: string): boolean => /^\d+[smhdw]$/.test(text)
    const argument = await givenOrTyped(context, given, (it) => isDuration(it) || rule, {
      question: 'How far (90s, 30m, 24h, 31d, 4w):',
      missing: 'How far?',
      hint: rule,
    })
    if (!isDuration(argument)) throw usage(`"${argument}" is not a duration.`, rule)
    const state = await send(context, clock.advance, { by: argument })
    if (state) await printClock(context, state)
  },
})
