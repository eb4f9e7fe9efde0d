import type { Call } from '../../../client/create-client.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { LinkedItem } from '../../dependencies/resource-links.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/** Fields that are read of a run. Only a Parley server reports why it failed and whether it was a test. */
interface RunResult {
  readonly id: string
  readonly status: string
  readonly error?: string | null
}

/** Number of runs checked for each automation. */
const maxRuns = 10

/** Reports enabled automations whose last live runs failed. */
export async function failedRunFindings({ account }: AccountScope, call: Call, isOffered: boolean): Promise<Finding[]> {
  const enabled = (await account.list('automate')).filter((it) => it.status === 'enabled')
  const found = await Promise.all(
    enabled.map(async (it) => findingOf(it, await runsOf(call, String(it.id), isOffered))),
  )
  return found.flatMap((it) => it ?? [])
}

/** Returns the newest runs; none if they cannot be read, which is not a problem of the automation. */
async function runsOf(call: Call, id: string, isOffered: boolean): Promise<readonly RunResult[]> {
  try {
    if (isOffered) return (await call(automate.listRuns, { automation_id: id, test: false, limit: maxRuns })).data
    const answer = await call(automate.runs, { id, limit: maxRuns })
    return 'runs' in answer && Array.isArray(answer.runs) ? answer.runs : []
  } catch {
    return []
  }
}

function findingOf(automation: LinkedItem, runs: readonly RunResult[]): Finding | undefined {
  const ended = runs.filter((it) => it.status === 'FAILED' || it.status === 'SUCCEEDED')
  const good = ended.findIndex((it) => it.status === 'SUCCEEDED')
  const failures = good < 0 ? ended.length : good
  if (failures === 0) return undefined
  const what =
    failures === 1
      ? 'is enabled and its last run failed'
      : `is enabled and its last ${good < 0 && failures === maxRuns ? 'ten' : failures} runs failed`
  const why = typeof ended[0]?.error === 'string' ? `: ${ended[0].error}` : '.'
  const finding = resourceFinding(
    'warning',
    'automation_runs',
    ['automate', automation],
    `${what}${why}`,
    `parley automate runs list ${automation.id} --status FAILED`,
  )
  return { ...finding, record: { noun: 'run', id: String(ended[0]?.id) } }
}
