import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { RunStep } from '../../../../contract/automations/automation-records.ts'
import type { RunRecord, RunStepRecord, RunSummary } from '../../../../contract/automations/run-records.ts'
import { walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { toIsoMillis } from '../../../../contract/values/micros.ts'
import { maskValue } from '../../../../engine/definition/mask.ts'
import { getOwn, nodeSettings } from '../../../../engine/definition/node.ts'
import { listRouterBranches } from '../../../../engine/definition/router-branches.ts'
import {
  findConnectionSecrets,
  findSecrets,
  hideSecrets,
  hideSecretsIn,
} from '../../../../engine/definition/secrets.ts'
import { parseJson } from '../../../../node/json.ts'
import { listAwaitedRuns } from '../../../runs/called-runs.ts'
import { findVersion, type VersionRow } from '../../../store/automations/automation-versions.ts'
import { earlierErrors, listSteps, type StepRow } from '../../../store/automations/run-steps.ts'
import { listWaits } from '../../../store/automations/run-waits.ts'
import {
  findNamedRun,
  listNamedRuns,
  type NamedRun,
  type RunFilters,
  runDueAt,
} from '../../../store/automations/runs.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { Deps } from '../../runtime/deps.ts'
import { connectionsPort } from '../ports/connection-service.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'

/**
 * Returns the duration of a run or step in milliseconds, without the time between failed attempts and their retries; null
 * while it has not ended. Times are in microseconds.
 */
export const durationMs = (
  from: number,
  { finished_at, idle }: { readonly finished_at: number | null; readonly idle: number },
): number | null => (finished_at === null ? null : Math.max(0, Math.round((finished_at - from - idle) / 1000)))

const toStatus = ({ status }: StepRow): RunStep['status'] =>
  status === 'SUCCEEDED' ? 'SUCCEEDED' : status === 'FAILED' ? 'FAILED' : 'PAUSED'

/** Returns the classification of a step as the API reports it. */
function classifyStep({ status, classification }: StepRow): RunStep['classification'] {
  if (status === 'SUCCEEDED') return 'ok'
  if (status === 'PAUSED' || classification === null) return 'paused_at_delay'
  return classification
}

const parseLines = (json: string | null): string[] | undefined => (json === null ? undefined : parseJson(json))

/** Returns a report for each step, and for each iteration of a loop separately. Steps in progress are omitted. */
export function stepReports(rows: readonly StepRow[]): RunStep[] {
  return rows
    .filter((row) => row.status !== 'RUNNING')
    .map((row) => {
      const unresolved = parseLines(row.unresolved)
      const log = parseLines(row.log)
      return {
        name: row.name,
        status: toStatus(row),
        classification: classifyStep(row),
        error: row.error,
        ...(row.path !== row.name && { path: row.path }),
        attempts: row.attempt,
        started_at: toIsoMillis(row.started_at),
        duration_ms: durationMs(row.started_at, row),
        ...(unresolved && { unresolved }),
        ...(log && { log }),
      }
    })
}

/** Returns one report for each step name. For a step in a loop this is the first failed iteration, else the last. */
export function testReports(rows: readonly StepRow[]): RunStep[] {
  const byName = new Map<string, RunStep>()
  for (const report of stepReports(rows))
    if (byName.get(report.name)?.status !== 'FAILED') byName.set(report.name, report)
  return [...byName.values()].map(({ path: _, ...report }) => report)
}

/** Maximum characters of one text, of the name of a field, items of one list, and characters of a whole value. */
const limits = { text: 2000, name: 200, items: 50, whole: 16_000 } as const

/** A value that may have been truncated. */
interface TruncatedValue {
  readonly value: unknown
  readonly isTruncated: boolean
}

/** Returns a value with long texts, names and lists truncated. Each truncation says how much is missing. */
export function truncateValue(value: unknown): TruncatedValue {
  let remainingLength: number = limits.whole
  let isTruncated = false

  function truncate(value: unknown): unknown {
    if (typeof value === 'string') return truncateText(value)
    if (Array.isArray(value)) return truncateList(value)
    if (typeof value !== 'object' || value === null) {
      remainingLength -= 8
      return value
    }
    const entries = Object.entries(value)
    const shown: [string, unknown][] = []
    for (const [name, part] of entries) {
      if (remainingLength <= 0) break
      const shownName = shorten(name, limits.name)
      remainingLength -= shownName.length
      shown.push([shownName, truncate(part)])
    }
    const missing = entries.length - shown.length
    if (missing > 0) {
      isTruncated = true
      shown.push(['…', `${missing} more fields`])
    }
    return Object.fromEntries(shown)
  }

  function truncateText(text: string): string {
    const length = Math.max(0, Math.min(limits.text, remainingLength))
    remainingLength -= Math.min(text.length, length)
    return shorten(text, length)
  }

  function shorten(text: string, length: number): string {
    if (text.length <= length) return text
    isTruncated = true
    return `${text.slice(0, length)}… (${text.length - length} more characters)`
  }

  function truncateList(list: readonly unknown[]): unknown[] {
    const shown: unknown[] = []
    for (const item of list.slice(0, limits.items)) {
      if (remainingLength <= 0) break
      shown.push(truncate(item))
    }
    if (shown.length === list.length) return shown
    isTruncated = true
    return [...shown, `… (${list.length - shown.length} more items)`]
  }

  return { value: truncate(value), isTruncated }
}

/** Maximum steps of a run, and items of a loop, that are shown unless `full` is set. */
const maxShownSteps = 200

/** Options for reading a run. */
interface RunReadOptions {
  /** Shows only steps of this name or path. */
  readonly step?: string | undefined
  /** Shows everything: no value is shortened and no step omitted. */
  readonly full: boolean
}

const parseList = (json: string | null): string[] => (json === null ? [] : parseJson(json))
const parseValue = (json: string | null): unknown => (json === null ? null : parseJson(json))

/** Returns a run as lists of the API have it: with the status CANCELLED if it was cancelled, whatever the row has. */
export const toSummary = (run: NamedRun): RunSummary => ({
  id: run.id,
  automation_id: run.automation_id,
  automation_name: run.automation_name,
  version: run.version,
  status: run.cancelled_at === null ? run.status : 'CANCELLED',
  testing: run.testing === 1,
  start_time: toIsoMillis(run.created_at),
  end_time: run.finished_at === null ? null : toIsoMillis(run.finished_at),
  duration_ms: durationMs(run.created_at, run),
  error: run.error,
})

/**
 * Returns the texts to hide in what a run of a version returned: the secrets of its definition, and the current secrets of
 * the connections it uses.
 */
export async function findRunSecrets(
  deps: Pick<Deps, 'connection' | 'vault'>,
  version: VersionRow,
  trigger: AutomationNode = readDefinition(deps.vault, version),
): Promise<readonly string[]> {
  const port = connectionsPort(deps)
  const names = parseJson(version.connections)
  const found = await Promise.all(names.map((name) => port.find(version.account_id, name)))
  return [
    ...findSecrets(trigger),
    ...found.flatMap((it) => (it.status === 'active' ? findConnectionSecrets(it.secret) : [])),
  ]
}

/** Reads runs of all automations of an account, with details of each step. */
export function runRecords(deps: Pick<Deps, 'connection' | 'vault'>) {
  const { connection, vault } = deps

  return {
    /** Returns runs, newest first, and the cursor of the next page. */
    async list(
      account: number,
      filters: RunFilters,
    ): Promise<{ readonly data: RunSummary[]; readonly next: string | null }> {
      const rows = await listNamedRuns(accountQuery(connection.read, account), { ...filters, limit: filters.limit + 1 })
      const shown = rows.slice(0, filters.limit)
      return { data: shown.map(toSummary), next: rows.length > shown.length ? String(shown.at(-1)?.number) : null }
    },

    /** Returns a run with its steps. @throws Failure 404 */
    async get(account: number, id: string, { step: wanted, full }: RunReadOptions): Promise<RunRecord> {
      const read = accountQuery(connection.read, account)
      const run = await findNamedRun(read, id)
      if (!run) throw new Failure('automate.run_record_not_found')
      const version = await findVersion(read, run.version_id)
      const trigger = version && readDefinition(vault, version)
      const secrets = version ? await findRunSecrets(deps, version, trigger) : []
      const nodes = new Map(
        trigger ? [...walkSteps(trigger)].map(({ node }) => [String(node.name), node] as const) : [],
      )
      const rows = await listSteps(read, run.number)
      const waits = new Map(
        (await listWaits(read, run.number)).filter((it) => it.resumed_at === null).map((it) => [it.path, it.until]),
      )
      const awaited =
        run.finished_at === null && rows.some((it) => it.status === 'PAUSED')
          ? await listAwaitedRuns(read, run)
          : undefined
      const due = rows.some((it) => it.status === 'WAITING') ? await runDueAt(read, id) : undefined
      const matching = rows.filter((it) => wanted === undefined || it.name === wanted || it.path === wanted)
      const shown = full ? matching : matching.slice(0, maxShownSteps)
      let isTruncated = shown.length < matching.length
      const toShown = (value: unknown): unknown => {
        const hidden = maskValue(hideSecretsIn(value, secrets))
        if (full) return hidden
        const truncated = truncateValue(hidden)
        isTruncated ||= truncated.isTruncated
        return truncated.value
      }

      function toStepRecord(row: StepRow): RunStepRecord {
        const node = nodes.get(row.name)
        const isLoop = row.items !== null
        const output = parseValue(row.shown ?? row.output)
        const wakesAt =
          run?.finished_at !== null
            ? null
            : row.status === 'WAITING'
              ? due
              : row.status === 'PAUSED'
                ? waits.get(row.path)
                : null
        return {
          name: row.name,
          path: row.path,
          display_name: node?.displayName ?? null,
          type: node?.type ?? null,
          status: row.status,
          classification: row.status === 'RUNNING' || row.status === 'WAITING' ? null : classifyStep(row),
          attempts: row.attempt,
          started_at: toIsoMillis(row.started_at),
          duration_ms: row.status === 'SUCCEEDED' || row.status === 'FAILED' ? durationMs(row.started_at, row) : null,
          wakes_at: typeof wakesAt === 'number' ? toIsoMillis(wakesAt) : null,
          called_run: awaited?.get(row.path)?.id ?? null,
          input: toShown(isLoop ? null : parseValue(row.input)),
          // The outputs of the iterations are shown with their steps.
          output: toShown(isLoop ? withoutIterations(output) : output),
          error: row.error === null ? null : hideSecrets(row.error, secrets),
          earlier_errors: earlierErrors(row).map(({ attempt, failedAt, error }) => ({
            attempt,
            failed_at: toIsoMillis(failedAt),
            error: hideSecrets(error, secrets),
          })),
          error_line: findErrorLine(node, row.error),
          branches: takenBranches(node, output),
          iterations: isLoop ? toIterations(row, rows, toShown, full) : null,
          unresolved: parseList(row.unresolved),
          log: parseList(row.log).map((it) => hideSecrets(it, secrets)),
        }
      }

      const steps = shown.map(toStepRecord)
      const about = { ...toSummary(run), error: run.error === null ? null : hideSecrets(run.error, secrets) }
      const [payload, response] = [toShown(parseValue(run.payload)), toShown(parseValue(run.answer))]
      return {
        ...about,
        trigger: payload,
        response,
        steps,
        steps_omitted: matching.length - shown.length,
        shortened: isTruncated,
      }
    },
  }
}

/**
 * Returns the line of code that an error refers to, with its number. The sandbox ends such errors with `(line 3)`
 * (job-failure.mjs).
 */
function findErrorLine(node: AutomationNode | undefined, error: string | null): RunStepRecord['error_line'] {
  const [, digits] = /\(line (\d+)\)\.?$/.exec(error ?? '') ?? []
  const code = node?.type === 'CODE' ? getOwn(getOwn(nodeSettings(node), 'sourceCode'), 'code') : undefined
  if (digits === undefined || typeof code !== 'string') return null
  const text = code.split('\n')[Number(digits) - 1]
  return text === undefined ? null : { number: Number(digits), text: text.trim().slice(0, 500) }
}

/** Returns the names of the branches that a step took; null for other steps. */
function takenBranches(node: AutomationNode | undefined, output: unknown): string[] | null {
  if (node?.type !== 'BRANCH') return null
  const branches = getOwn(output, 'branches')
  if (listRouterBranches(node) && Array.isArray(branches))
    return branches.flatMap((it) => (getOwn(it, 'evaluation') === true ? [String(getOwn(it, 'branchName'))] : []))
  const condition = getOwn(output, 'condition')
  return typeof condition === 'boolean' ? [String(condition)] : null
}

function withoutIterations(output: unknown): unknown {
  if (!isObject(output)) return output
  const { iterations: _, ...rest } = output
  return rest
}

/** Returns the items of a loop, each with the status of its iteration. */
function toIterations(
  loop: StepRow,
  rows: readonly StepRow[],
  toShown: (value: unknown) => unknown,
  full: boolean,
): RunStepRecord['iterations'] {
  const items: readonly unknown[] = parseJson(loop.items ?? '[]')
  const statusesByIndex = new Map<number, StepRow['status'][]>()
  for (const { path, status } of rows) {
    const [, digits] = path.startsWith(`${loop.path}[`) ? (/^\[(\d+)\]\//.exec(path.slice(loop.path.length)) ?? []) : []
    if (digits === undefined) continue
    const index = Number(digits)
    statusesByIndex.set(index, [...(statusesByIndex.get(index) ?? []), status])
  }
  return (full ? items : items.slice(0, maxShownSteps)).map((item, at) => {
    const statuses = statusesByIndex.get(at + 1)
    const status = !statuses
      ? null
      : statuses.includes('FAILED')
        ? 'FAILED'
        : statuses.every((it) => it === 'SUCCEEDED')
          ? 'SUCCEEDED'
          : 'PAUSED'
    return { index: at + 1, item: toShown(item), status }
  })
}
