import { clock } from '../../../../contract/control/clock.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { inputIfMissing } from '../../../prompts/prompt-if-missing.ts'
import { printClock } from './view.ts'

export const until = command({
  endpoint: clock.until,
  filledFields: ['what'],
  allowedFields: ['coalesce'],
  argument: { name: 'what', describe: 'A time, "next", or a kind of due work: delivery, subscription, campaign.turn' },
  examples: ['2027-06-01T09:00:00Z', 'next', 'subscription --json'],
  notes: `Work that is due on the way is done at once, in order, and printed. A schedule starts one run for each period passed, at most 1 000 a call; --coalesce starts one run for each schedule.`,
  async run(context, { argument: given, input }) {
    const hint = 'A time, "next", or a kind of due work.'
    const what = await inputIfMissing(context, given, (it) => it !== '' || hint, {
      question: 'Until when, or what (next):',
      missingMessage: 'Until what?',
      hint,
    })
    const state = await sendRequest(context, clock.until, { what, ...(input.coalesce === true && { coalesce: true }) })
    if (state) await printClock(context, state)
  },
})
