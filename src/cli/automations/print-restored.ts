import type { Difference } from '../../automation/definition/diff.ts'
import { differenceLines } from '../commands/automate/difference.ts'
import type { Context } from '../context.ts'
import { isObject } from '../hidden.ts'
import { fitted } from '../output/fitted.ts'
import { type Live, stateOf } from './live.ts'
import type { RestoredLive } from './restore-safely.ts'
import type { Target } from './targets.ts'

interface Printed {
  readonly before: Live
  readonly done: RestoredLive
  readonly target: Target
}

/** What is live after a restore, what it changed, and the command that undoes it. */
export async function printRestored(context: Context, { before, done, target }: Printed): Promise<void> {
  const { out, notes } = context
  const { answer, live, isAnswerLost } = done
  const { id, name, status, binding } = live.automation
  const difference = await differenceOf(before, live)
  const note = typeof answer.note === 'string' && answer.note !== '' ? answer.note : `Restored ${target.called}.`
  if (out.settings.form !== 'table' || out.settings.fields) {
    const restored = { automation_id: id, name, status, restored_version_id: answer.restored_version_id ?? live.version ?? null, note }
    return out.record({ ...restored, ...answer, difference, live: { status, binding, version_id: live.version ?? null } }, {
      view: { id: () => id, columns: [], empty: '' },
    } as never)
  }
  const lost = isAnswerLost ? ' The answer was lost; what is live was read back.' : ''
  await out.line(await fitted(`${note}${lost} Id: ${id}`, out.settings))
  const lines = difference ? differenceLines(difference) : []
  for (const it of lines) await out.line(await fitted(it, out.settings))
  if (difference && lines.length === 0) await notes.note('Both versions have the same content.')
  await notes.note(stateOf(live))
  const entry = context.kept.at(-1)
  if (entry !== undefined) await notes.note(`What was live before is kept: parley history diff ${entry}`)
  await notes.note(`Undo: parley automate restore ${id}`)
}

async function differenceOf({ automation: before }: Live, { automation: after }: Live): Promise<Difference | null> {
  if (!isObject(before.definition) || !isObject(after.definition)) return null
  const { diff } = await import('../../automation/definition/diff.ts')
  return diff(before.definition, after.definition)
}
