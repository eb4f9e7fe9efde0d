import type { ClockState } from '../../../../contract/control/clock.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { printJobs } from './print-jobs.ts'

const view: View<ClockState> = { id: (it) => it.now, columns: [], empty: '' }

const timeView: View<Omit<ClockState, 'done'>> = {
  id: (it) => it.now,
  columns: [
    { key: 'now', title: 'Now', priority: 1, kind: 'time' },
    { key: 'offset_seconds', title: 'Offset (s)', priority: 2, kind: 'number' },
  ],
  empty: '',
}

/** Prints the time and, for people, each job that the change completed. */
export async function printClock(context: Context, state: ClockState): Promise<void> {
  const { out } = context
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(state, { view })
  const { done, ...time } = state
  await out.record(time, { view: timeView })
  await printJobs(context, done)
}
