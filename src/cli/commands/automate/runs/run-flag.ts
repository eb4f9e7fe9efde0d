import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import type { Context } from '../../../context.ts'

export const runFlag = { flags: '--run <id>', describe: 'Id of the run, or "last"', field: 'run_id' } as const

/** Maximum number of runs that a platform returns for one automation. */
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

export const confirmRepeatFlag = {
  flags: '--confirm-side-effects',
  describe: 'Allow a failed step to run again that may already have had effects outside',
}
