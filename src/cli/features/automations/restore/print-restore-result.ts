import { isObject } from '../../../../contract/values/json-object.ts'
import { type DefinitionDiff, diff } from '../../../../engine/analysis/diff.ts'
import type { Context } from '../../../program/context.ts'
import { fitText } from '../../../program/terminal/fit-text.ts'
import { differenceLines } from '../../flow-files/difference-lines.ts'
import { describeState, type LiveAutomation } from '../live-automation.ts'
import { noteUndo, type RestoreTarget } from './restore-targets.ts'
import type { SafeRestoreResult } from './safe-restore.ts'

interface PrintOptions {
  readonly before: LiveAutomation
  readonly result: SafeRestoreResult
  readonly target: RestoreTarget
}

/** Prints the live state after a restore, its changes and the command that undoes it. */
export async function printRestoreResult(context: Context, { before, result, target }: PrintOptions): Promise<void> {
  const { out, notes } = context
  const { answer, live, isAnswerLost } = result
  const { id, name, status, binding } = live.automation
  const difference = await diffDefinitions(before, live)
  const note = typeof answer.note === 'string' && answer.note !== '' ? answer.note : `Restored ${target.label}.`
  if (out.settings.form !== 'table' || out.settings.fields) {
    const restored = {
      automation_id: id,
      name,
      status,
      restored_version_id: answer.restored_version_id ?? live.version ?? null,
      note,
    }
    return out.record(
      { ...restored, ...answer, difference, live: { status, binding, version_id: live.version ?? null } },
      {
        view: { id: () => id, columns: [], empty: '' },
      },
    )
  }
  const lostAnswerNote = isAnswerLost ? ' The response was lost; the live version was read back.' : ''
  await out.done(await fitText(`${note}${lostAnswerNote} Id: ${id}`, out.settings))
  const lines = difference ? differenceLines(difference) : []
  for (const it of lines) await out.line(await fitText(it, out.settings))
  if (difference && lines.length === 0) await notes.note('Both versions have the same content.')
  // The note of a Parley server says the status already.
  if (isObject(binding) || !note.includes(String(status))) await notes.note(describeState(live))
  if (result.historyEntry !== undefined)
    await notes.note(`Compare with the replaced version: parley history diff ${result.historyEntry}`)
  if (status === 'disabled') await notes.note(`Enable it: parley automate enable ${id}`)
  await noteUndo(context, before)
}

async function diffDefinitions(
  { automation: before }: LiveAutomation,
  { automation: after }: LiveAutomation,
): Promise<DefinitionDiff | null> {
  if (!isObject(before.definition) || !isObject(after.definition)) return null
  return diff(before.definition, after.definition)
}
