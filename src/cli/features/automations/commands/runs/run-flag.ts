import type { CallMore } from '../../../../../client/create-client.ts'
import { ClientFailure } from '../../../../../client/failures/client-failure.ts'
import { runVersionHeader, runVersionLatest } from '../../../../../contract/automations/automation-headers.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import type { Context } from '../../../../program/context.ts'

export const runFlag = { flags: '--run <id>', describe: 'Id of the run, or "last"', field: 'run_id' } as const

/** Maximum number of runs that a platform returns for one automation. The notes of `automate runs list` name it. */
export const maxRunsPerAutomation = 20

/**
 * Resolves a run of an automation: an id, or `last`; with `status` the last run with that status. @throws ClientFailure
 * `not_found`
 */
export async function resolveRunId(context: Context, id: string, given: string, status?: string): Promise<string> {
  if (given !== 'last') return given
  const answer = await context.call(automate.runs, { id, limit: maxRunsPerAutomation })
  const found =
    'runs' in answer && Array.isArray(answer.runs)
      ? answer.runs.find((it) => it && (status === undefined || it.status === status))
      : undefined
  if (found) return String(found.id)
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message:
      status === undefined
        ? 'The automation has no runs.'
        : `None of the last ${maxRunsPerAutomation} runs has the status ${status}.`,
    hint: `List runs: parley automate runs list ${id}.`,
  })
}

export const latestFlag = {
  flags: '--latest',
  describe: 'Continue on the live version (default: the version that the run started on)',
}

/** Returns what the request of a retry needs to continue on the live version. */
export const retryOptions = (onLatest: boolean): CallMore | undefined =>
  onLatest ? { headers: { [runVersionHeader]: runVersionLatest } } : undefined

/** Returns what to do when a run failed again although the automation was changed. `run` is its id or a placeholder. */
export const latestHint = (run: string): string =>
  `A retry uses the version that the run started on. After a change of the automation: parley automate runs retry ${run} --latest`

export const confirmRepeatFlag = {
  flags: '--confirm-side-effects',
  describe: 'Allow a failed step to run again that may already have had effects outside',
}
