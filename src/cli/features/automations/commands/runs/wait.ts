import type { RunRecord } from '../../../../../contract/automations/run-records.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { stateText } from '../../../../../contract/values/states.ts'
import type { Waitable } from '../../../../program/waiting/waitable.ts'
import { findRunByAutomation } from './runs-by-automation.ts'

const ends = ['succeeded', 'failed', 'cancelled']
const pending = ['running', 'paused']

/** How a run is waited for. One that waits for a time or an event has not ended. */
export const runWait: Waitable = {
  singular: 'run',
  conditions: {
    succeeded: { reached: ['succeeded'], pending },
    ended: { reached: ends, pending },
  },
  read: async ({ call, context }, { id }) =>
    (await context.supports('runs'))
      ? (await call(automate.getRun, { run_id: String(id) })).data
      : findRunByAutomation(context, String(id), undefined),
  stateOf: (record) => (record as RunRecord).status.toLowerCase(),
  async detailOf(_, record) {
    const { error, steps } = record as RunRecord
    const open = steps.findLast((it) => it.status !== 'SUCCEEDED')
    const step = open ? `step ${open.path ?? open.name} is ${stateText(open.status)}` : undefined
    return error ?? (step && open?.wakes_at ? `${step} until ${open.wakes_at}` : step)
  },
  shownBy: ({ id }) => ({ words: 'automate runs get', argument: String(id) }),
}
