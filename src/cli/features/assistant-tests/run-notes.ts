import { join, relative } from 'node:path'
import type { Context } from '../../program/context.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { listRecordings, unusedRecordings } from './model/recordings.ts'
import type { CheckedScenario } from './run-suite.ts'
import type { TestScenario } from './scenario-schema.ts'

/** What a run of scenarios was about. */
export interface FinishedRun {
  readonly checked: readonly CheckedScenario[]
  /** All scenarios of the project. */
  readonly all: readonly TestScenario[]
  readonly testsFolder: string
  /** Whether the responses of the model were recorded. */
  readonly isRecording: boolean
}

/** Writes the hints about recordings and latency after a run. */
export async function writeRunNotes(
  { notes, system }: Context,
  { checked, all, testsFolder, isRecording }: FinishedRun,
): Promise<void> {
  const folder = relative(system.cwd, join(testsFolder, 'cassettes'))
  const recorded = checked.filter((it) => it.result.model === 'live').length
  if (isRecording && recorded > 0 && listRecordings(testsFolder).length > 0)
    await notes.note(
      `Recorded the responses of the language model for ${recorded} ${recorded === 1 ? 'scenario' : 'scenarios'} in ${folder}. Commit them.`,
    )
  const unused = checked.length === all.length ? unusedRecordings(testsFolder, all) : []
  if (unused.length > 0)
    await notes.note(`Recordings without a scenario in ${folder}, which can be deleted: ${unused.join(', ')}.`)
  const untimed = checked.filter(
    ({ scenario: { expect, turns }, result }) =>
      result.model === 'local' && [expect, ...turns.map((it) => it.expect)].some((it) => it?.max_latency_ms),
  )
  if (untimed.length > 0)
    await notes.note(
      safeText(
        `Not checked with the local model, whose latency is that of this machine: max_latency_ms of ${untimed.map((it) => `"${it.result.name}"`).join(', ')}.`,
      ),
    )
  if (checked.some((it) => it.result.verdict === 'stale'))
    await notes.note('Record stale scenarios again: add --record.')
}
