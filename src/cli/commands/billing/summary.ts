import { billing } from '../../../contract/resources/billing.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { printSummary, summaryView } from './print-summary.ts'

export const summary = command({
  endpoint: billing.summary,
  examples: ['', '--json', '--json --fields balance,unit,forecast'],
  notes:
    'Months are calendar months in UTC. Charges are shown less refunds. The forecast adds the average of the last 30 days for each remaining day.\nOn a platform that does not report billing, figures come from the lists of numbers, calls and conversations, and from the operations journal of this machine. Each is marked with its source, and what is unknown is null in JSON.',
  view: summaryView,
  async run(context) {
    if (await context.supports('billing')) {
      if (await previewRequest(context, billing.summary, {})) return
      const { data } = await context.call(billing.summary, {})
      return printSummary(context, { ...data, journal: null })
    }
    const { user } = await import('../../../contract/resources/user.ts')
    if (await previewRequest(context, user.me, {})) return
    const [{ composeSummary }, { journalFigures }] = await Promise.all([
      import('./compose-summary.ts'),
      import('./journal-figures.ts'),
    ])
    const composed = await context.progress.showWhile('Reading calls and conversations', composeSummary(context))
    const { month } = composed
    const journal = await journalFigures(context, Date.parse(month.since), Date.parse(month.until))
    await printSummary(context, { ...composed, journal })
    await context.notes.note(
      'This platform does not report billing. Figures are from its lists and from the operations journal of this machine.',
    )
  },
})
