import { automate } from '../../../contract/resources/automate.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import type { View } from '../../output/form.ts'
import { toSentence } from '../../output/print-result.ts'
import { resolveRunId, runFlag } from './runs/run-flag.ts'
import { argument, automationId } from './view.ts'

const view: View<{ readonly run_id: string }> = { id: (it) => it.run_id, columns: [], empty: '' }

export const retry = command({
  endpoint: automate.retry,
  argument,
  flags: [{ ...runFlag, describe: 'Id of the run (default: the last failed run)' }],
  exits: ['finding'],
  examples: ['Greeting', 'Greeting --run last'],
  notes: 'Steps that ran before the failed step are not run again. The exit code is 20 when the run fails again.',
  view,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    const run_id = await resolveRunId(context, id, String(flags.run ?? 'last'), 'FAILED')
    const answer = await sendRequest(context, automate.retry, { id, run_id })
    if (!answer) return
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(answer, { schema: automate.retry.output, view } as never)
    else {
      await out.line(`${toSentence(answer.note)} Status: ${String(answer.status ?? 'unknown')}`)
      await notes.note(`Next: parley automate runs get ${run_id}`)
    }
    return answer.status === 'FAILED' ? 'finding' : undefined
  },
})
