import type { ClockState } from '../../../../contract/control/clock.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { printJobs } from './print-jobs.ts'

const view: View<ClockState> = { id: (it) => it.now, columns: [], empty: '' }

/** The time, and for people each piece of due work that the change did, a line each. */
export async function printClock(context: Context, state: ClockState): Promise<void> {
  const { out } = context
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(state, { view })
  const { done, ...time } = state
  await out.record(time)
  await printJobs(context, done)
}
