import type { ClockState } from '../../../../contract/control/clock.ts'
import { simulate } from '../../../../contract/control/simulate.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { printJobs } from '../clock/print-jobs.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'

export const run = command({
  endpoint: simulate.run,
  filledFields: ['account'],
  flags: [accountFlag],
  examples: ['--file scenario.yaml', '--steps \'[{"sender": {"sender": 1, "status": "offline"}}, {"advance": "5m"}]\''],
  notes: `A scenario is a file with steps:
  steps:
  - call: {assistant: 1, phone_number: "+14155550142", turns: [{customer: Hi}]}
  - advance: 5m
  - message: {sender: 1, from: "+14155550142", text: "Are you open?"}
  - end: {}
Each step takes the fields of the command with its name, or advances the time. "receipt" and "end" without fields use the last message and the last conversation.`,
  view: { id: (it: { step: string }) => it.step, columns: [], empty: '' },
  async run(context, { input, flags }) {
    if (input.steps === undefined) throw usageError('Missing scenario.', 'Pass --file scenario.yaml or --steps.')
    const account = flags.account === undefined ? {} : { account: await resolveAccount(context, flags.account) }
    const answer = await sendRequest(context, simulate.run, { ...input, ...account })
    if (!answer) return
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(answer.data, { view: { id: () => answer.data.steps.length, columns: [], empty: '' } } as never)
    for (const { step, message, data } of answer.data.steps) {
      await out.line(`${step}: ${message}`)
      await printJobs(context, (data as { done?: ClockState['done'] }).done ?? [])
    }
  },
})
