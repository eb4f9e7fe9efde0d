import { mask } from '../../automation/definition/mask.ts'
import { own, settingsOf } from '../../automation/definition/node.ts'
import { routerWays } from '../../automation/definition/router-output.ts'
import { hideIn, hideSecrets, secretsIn, secretsOf } from '../../automation/definition/secrets.ts'
import { walk } from '../../automation/definition/walk.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { RunRecord, RunStepRecord, RunSummary } from '../../contract/automation-runs.ts'
import { Failure } from '../../contract/errors.ts'
import { toIsoMillis } from '../../events/clock.ts'
import { findVersion } from '../../store/automations.ts'
import { listSteps, listWaits, type StepRow } from '../../store/run-steps.ts'
import { findNamedRun, listNamedRuns, type NamedRun, type RunFilters, runDueAt } from '../../store/runs.ts'
import type { Deps } from '../deps.ts'
import { connectionsPort } from './connections.ts'
import { classificationOf } from './reports.ts'
import { shorten } from './shorten.ts'

/** Steps of a run that are shown unless everything is asked for. */
const mostSteps = 200

export interface ReadOptions {
  /** Only steps of this name or path. */
  readonly step?: string | undefined
  /** Nothing is shortened or left out. */
  readonly full: boolean
}

const millis = (from: number, to: number | null): number | null => (to === null ? null : Math.max(0, Math.round((to - from) / 1000)))
const listIn = (json: string | null): string[] => (json === null ? [] : (JSON.parse(json) as string[]))
const valueIn = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

const summaryOf = (run: NamedRun): RunSummary => ({
  id: run.id,
  automation_id: run.automation_id,
  automation_name: run.automation_name,
  version: run.version,
  status: run.status,
  testing: run.testing === 1,
  start_time: toIsoMillis(run.created_at),
  end_time: run.finished_at === null ? null : toIsoMillis(run.finished_at),
  duration_ms: millis(run.created_at, run.finished_at),
  error: run.error,
})

/** Runs of all automations of an account, and what each step of one did. */
export function runRecords(deps: Pick<Deps, 'connection' | 'vault'>) {
  const { connection } = deps

  /** Texts that are shown to nobody: those of the definition, and of the connections it uses as they are now. */
  async function secretsFor(account: number, trigger: AutomationNode | undefined, names: readonly string[]): Promise<readonly string[]> {
    const port = connectionsPort(deps)
    const found = await Promise.all(names.map((name) => port.find(account, name)))
    return [...(trigger ? secretsOf(trigger) : []), ...found.flatMap((it) => (it.status === 'active' ? secretsIn(it.secret) : []))]
  }

  return {
    /** Newest first, with the cursor of the next page. */
    async list(account: number, filters: RunFilters): Promise<{ readonly data: RunSummary[]; readonly next: string | null }> {
      const rows = await listNamedRuns(connection.read, account, { ...filters, limit: filters.limit + 1 })
      const shown = rows.slice(0, filters.limit)
      return { data: shown.map(summaryOf), next: rows.length > shown.length ? String(shown.at(-1)?.number) : null }
    },

    /** @throws Failure 404 */
    async get(account: number, id: string, { step: wanted, full }: ReadOptions): Promise<RunRecord> {
      const run = await findNamedRun(connection.read, account, id)
      if (!run) throw new Failure('automate.run_record_not_found')
      const version = await findVersion(connection.read, run.version_id)
      const trigger = version && (JSON.parse(version.definition) as AutomationNode)
      const secrets = await secretsFor(account, trigger, version ? (JSON.parse(version.connections) as string[]) : [])
      const nodes = new Map(trigger ? [...walk(trigger)].map(({ node }) => [String(node.name), node] as const) : [])
      const rows = await listSteps(connection.read, run.number)
      const waits = new Map((await listWaits(connection.read, run.number)).filter((it) => it.resumed_at === null).map((it) => [it.path, it.until]))
      const due = rows.some((it) => it.status === 'WAITING') ? await runDueAt(connection.read, id) : undefined
      const asked = rows.filter((it) => wanted === undefined || it.name === wanted || it.path === wanted)
      const shown = full ? asked : asked.slice(0, mostSteps)
      let isShortened = shown.length < asked.length
      const show = (value: unknown): unknown => {
        const hidden = mask(hideIn(value, secrets))
        if (full) return hidden
        const cut = shorten(hidden)
        isShortened ||= cut.isShortened
        return cut.value
      }

      function stepOf(row: StepRow): RunStepRecord {
        const node = nodes.get(row.name)
        const isLoop = row.items !== null
        const output = valueIn(row.shown ?? row.output)
        const wakes = run?.finished_at !== null ? null : row.status === 'WAITING' ? due : row.status === 'PAUSED' ? waits.get(row.path) : null
        return {
          name: row.name,
          path: row.path,
          display_name: node?.displayName ?? null,
          type: node?.type ?? null,
          status: row.status,
          classification: row.status === 'RUNNING' || row.status === 'WAITING' ? null : classificationOf(row),
          attempts: row.attempt,
          started_at: toIsoMillis(row.started_at),
          duration_ms: row.status === 'SUCCEEDED' || row.status === 'FAILED' ? millis(row.started_at, row.finished_at) : null,
          wakes_at: typeof wakes === 'number' ? toIsoMillis(wakes) : null,
          input: show(isLoop ? null : valueIn(row.input)),
          // What its turns gave stands with their own steps.
          output: show(isLoop ? withoutTurns(output) : output),
          error: row.error === null ? null : hideSecrets(row.error, secrets),
          error_line: lineOf(node, row.error),
          branches: branchesOf(node, output),
          iterations: isLoop ? iterationsOf(row, rows, show, full) : null,
          unresolved: listIn(row.unresolved),
          log: listIn(row.log).map((it) => hideSecrets(it, secrets)),
        }
      }

      const steps = shown.map(stepOf)
      const about = { ...summaryOf(run), error: run.error === null ? null : hideSecrets(run.error, secrets) }
      const [payload, response] = [show(valueIn(run.payload)), show(valueIn(run.answer))]
      return { ...about, trigger: payload, response, steps, steps_omitted: asked.length - shown.length, shortened: isShortened }
    },
  }
}

/** The line of code an error names, with its text. */
function lineOf(node: AutomationNode | undefined, error: string | null): RunStepRecord['error_line'] {
  const [, digits] = /\(line (\d+)\)\.?$/.exec(error ?? '') ?? []
  const code = node?.type === 'CODE' ? own(own(settingsOf(node), 'sourceCode'), 'code') : undefined
  if (digits === undefined || typeof code !== 'string') return null
  const text = code.split('\n')[Number(digits) - 1]
  return text === undefined ? null : { number: Number(digits), text: text.trim().slice(0, 500) }
}

/** Names of the branches a step took; null for other steps. */
function branchesOf(node: AutomationNode | undefined, output: unknown): string[] | null {
  if (node?.type !== 'BRANCH') return null
  const branches = own(output, 'branches')
  if (routerWays(node) && Array.isArray(branches)) return branches.flatMap((it) => (own(it, 'evaluation') === true ? [String(own(it, 'branchName'))] : []))
  const condition = own(output, 'condition')
  return typeof condition === 'boolean' ? [String(condition)] : null
}

function withoutTurns(output: unknown): unknown {
  if (typeof output !== 'object' || output === null) return output
  const { iterations: _, ...rest } = output as Record<string, unknown>
  return rest
}

/** Items of a loop, each with how its turn went. */
function iterationsOf(loop: StepRow, rows: readonly StepRow[], show: (value: unknown) => unknown, full: boolean): RunStepRecord['iterations'] {
  const items = JSON.parse(loop.items ?? '[]') as unknown[]
  const turns = new Map<number, StepRow['status'][]>()
  for (const { path, status } of rows) {
    const [, digits] = path.startsWith(`${loop.path}[`) ? (/^\[(\d+)\]\//.exec(path.slice(loop.path.length)) ?? []) : []
    if (digits === undefined) continue
    const index = Number(digits)
    turns.set(index, [...(turns.get(index) ?? []), status])
  }
  return (full ? items : items.slice(0, mostSteps)).map((item, at) => {
    const statuses = turns.get(at + 1)
    const status = !statuses ? null : statuses.includes('FAILED') ? 'FAILED' : statuses.every((it) => it === 'SUCCEEDED') ? 'SUCCEEDED' : 'PAUSED'
    return { index: at + 1, item: show(item), status }
  })
}
