import { clock } from '../../../../contract/control/clock.ts'
import { parseDuration } from '../../../../contract/values/duration.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { inputIfMissing } from '../../../prompts/prompt-if-missing.ts'
import { printClock } from './view.ts'

const rule = 'Use a number and a unit: 90s, 30m, 24h, 31d, 4w.'

export const advance = command({
  endpoint: clock.advance,
  filledFields: ['by'],
  allowedFields: ['coalesce'],
  argument: { name: 'by', describe: 'Duration: 90s, 30m, 24h, 31d, 4w' },
  examples: ['24h', '31d --json', '90d --coalesce'],
  notes: `Jobs that become due run immediately, in order, and are printed. A schedule starts one run for each period that passed, at most 1,000 per call. With --coalesce, each schedule starts one run.`,
  async run(context, { argument: given, input }) {
    const argument = await inputIfMissing(context, given, (it) => parseDuration(it) !== undefined || rule, {
      question: 'Advance by how much (90s, 30m, 24h, 31d, 4w)?',
      missingMessage: 'Missing duration.',
      hint: rule,
    })
    if (parseDuration(argument) === undefined) throw usageError(`Invalid duration "${argument}".`, rule)
    const state = await sendRequest(context, clock.advance, {
      by: argument,
      ...(input.coalesce === true && { coalesce: true }),
    })
    if (state) await printClock(context, state)
  },
})
