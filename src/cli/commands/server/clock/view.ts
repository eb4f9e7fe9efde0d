import type { ClockState } from '../../../../contract/clock.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'

const view: View<ClockState> = { id: (it) => it.now, columns: [], empty: '' }

/** The time, and for people each piece of due work that the change did, a line each. */
export async function printClock({ out, notes }: Context, state: ClockState): Promise<void> {
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(state, { view })
  const { done, ...time } = state
  await out.record(time)
  for (const it of done) await notes.note(`Done: ${it.kind} ${it.subject}, due ${it.due_at}`)
}
