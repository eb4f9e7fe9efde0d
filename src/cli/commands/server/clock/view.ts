import type { ClockState } from '../../../../contract/control/clock.ts'
import { formatDuration } from '../../../../contract/values/duration.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { printJobs } from './print-jobs.ts'

const view: View<ClockState> = { id: (it) => it.now, columns: [], empty: '' }

/** Says by how much the platform's clock differs from that of the computer that serves it. */
function offsetText(seconds: number): string {
  const size = Math.abs(seconds)
  return size < 0.5 ? 'none' : `${formatDuration(size)} ${seconds > 0 ? 'ahead of' : 'behind'} real time`
}

const timeView: View<Omit<ClockState, 'done' | 'offset_seconds'> & { readonly offset: string }> = {
  id: (it) => it.now,
  columns: [
    { key: 'now', title: 'Now', priority: 1, kind: 'time' },
    { key: 'offset', title: 'Offset', priority: 2 },
  ],
  empty: '',
}

/** Prints the time and, for people, each job that the change completed. */
export async function printClock(context: Context, state: ClockState): Promise<void> {
  const { out } = context
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(state, { view })
  const { done, offset_seconds: seconds, ...time } = state
  await out.record({ ...time, offset: offsetText(seconds) }, { view: timeView })
  await printJobs(context, done)
}
