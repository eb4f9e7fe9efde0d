import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import type { Context } from '../../../context.ts'

export const runFlag = { flags: '--run <id>', describe: 'Id of the run, or "last"', field: 'run_id' } as const

/** The most runs a platform shows of one automation. */
export const maxRunsPerAutomation = 20

/** The run of an automation that a word means: an id, or the last one; with `status` the last that ended so. @throws ClientFailure `not_found` */
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
