import { clock } from '../../../../contract/control/clock.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { inputIfMissing } from '../../../prompts/prompt-if-missing.ts'
import { printClock } from './view.ts'

export const until = command({
  endpoint: clock.until,
  filledFields: ['what'],
  allowedFields: ['coalesce'],
  argument: { name: 'what', describe: 'A time, "next", or a kind of job: delivery, subscription, campaign.turn' },
  examples: ['2027-06-01T09:00:00Z', 'next', 'subscription --json'],
  notes: `Jobs that become due run immediately, in order, and are printed. A schedule starts one run for each period that passed, at most 1,000 per call. With --coalesce, each schedule starts one run.`,
  async run(context, { argument: given, input }) {
    const hint = 'Pass a time, "next", or a kind of job.'
    const what = await inputIfMissing(context, given, (it) => it !== '' || hint, {
      question: 'Advance until which time or job (next)?',
      missingMessage: 'Missing time or job.',
      hint,
    })
    const state = await sendRequest(context, clock.until, { what, ...(input.coalesce === true && { coalesce: true }) })
    if (state) await printClock(context, state)
  },
})
