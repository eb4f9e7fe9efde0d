import { clock } from '../../../../contract/control/clock.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { inputIfMissing } from '../../../prompts/prompt-if-missing.ts'
import { printClock } from './view.ts'

const rule = 'Write a number and a unit: 90s, 30m, 24h, 31d, 4w.'

export const advance = command({
  endpoint: clock.advance,
  filledFields: ['by'],
  allowedFields: ['coalesce'],
  argument: { name: 'by', describe: 'How far: 90s, 30m, 24h, 31d, 4w' },
  examples: ['24h', '31d --json', '90d --coalesce'],
  notes: `Work that is due on the way is done at once, in order, and printed. A schedule starts one run for each period passed, at most 1 000 a call; --coalesce starts one run for each schedule.`,
  async run(context, { argument: given, input }) {
    const isDuration = (text: string): boolean => /^\d+[smhdw]$/.test(text)
    const argument = await inputIfMissing(context, given, (it) => isDuration(it) || rule, {
      question: 'How far (90s, 30m, 24h, 31d, 4w):',
      missingMessage: 'How far?',
      hint: rule,
    })
    if (!isDuration(argument)) throw usageError(`"${argument}" is not a duration.`, rule)
    const state = await sendRequest(context, clock.advance, {
      by: argument,
      ...(input.coalesce === true && { coalesce: true }),
    })
    if (state) await printClock(context, state)
  },
})
