import {
  detailsFull,
  detailsHeader,
  ifVersionHeader,
  publishedHeader,
  publishHeader,
  publishWhenTested,
  runHeader,
  runVersionHeader,
  runVersionLatest,
  versionHeader,
} from '../../../contract/automations/automation-headers.ts'
import {
  type Automation,
  type BuiltAutomation,
  type Restored,
  type RunStep,
  TestedStep,
} from '../../../contract/automations/automation-records.ts'
import { webhookPath } from '../../../contract/automations/webhook-path.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { toIsoMillis } from '../../../contract/values/micros.ts'
import type { BuildResult } from '../../services/automations/publishing/automation-builder.ts'
import {
  type AutomationDetails,
  automationService,
  type ChangeConditions,
} from '../../services/automations/publishing/automation-service.ts'
import { templateService } from '../../services/automations/publishing/template-service.ts'
import {
  getVersion,
  listVersionHistory,
  type RestoredVersion,
  versionRestorer,
} from '../../services/automations/publishing/versions.ts'
import { durationMs, runRecords, stepReports } from '../../services/automations/runs/run-records.ts'
import { cancelRun, rerun, runService } from '../../services/automations/runs/run-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { RecentRuns, RunRow } from '../../store/automations/runs.ts'
import { type Caller, type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the status of a response: 200 instead of 201 for an automation that was created but whose test failed. */
export const statusOf = (verb: string, answer: unknown): number | undefined =>
  (verb === 'create' || verb === 'apply') && (answer as BuiltAutomation).status === 'test_failed' ? 200 : undefined

/** Returns the endpoints of the resource with their handlers. */
export const automationResource = (deps: Deps): LoadedResource => ({
  ...loadedResource(automate, automationHandlers(deps)),
  statusOf,
})

/** Creates the handlers of automations. */
function automationHandlers(deps: Deps): HandlersOf<typeof automate> {
  const service = automationService(deps)
  const runs = runService(deps)
  const records = runRecords(deps)
  const { restore } = versionRestorer(deps)
  const templates = templateService(deps)

  return {
    async create(draft, caller) {
      return toWire(await service.create(caller.account.id, { ...draft, key: caller.key }), caller)
    },

    async list(_, caller) {
      const { account } = caller
      const recent = wantsDetails(caller) ? await service.recentRuns(account.id) : undefined
      return {
        data: (await service.list(account.id)).map(({ row, binding }) => ({
          id: row.id,
          name: row.name,
          status: row.status,
          binding,
          ...(recent && toRecentRuns(recent.get(row.id))),
        })),
      }
    },

    async get({ id, include_secrets, draft }, { account, responseHeaders }) {
      const found = await service.get(account.id, id, { secrets: include_secrets, draft })
      setVersionHeader(responseHeaders, found.row.live_version)
      return { data: toAutomation(found) }
    },

    async listDefinitions({ limit, cursor }, { account }) {
      const [createdAt, id] = cursor?.split('.') ?? []
      const after = id === undefined ? undefined : { created_at: Number(createdAt), id }
      const { automations, next } = await service.listDefinitions(account.id, { after, limit })
      return {
        data: automations.map(toAutomation),
        next_cursor: next === undefined ? null : `${next.created_at}.${next.id}`,
      }
    },

    async update({ id, ...change }, caller) {
      const { account, responseHeaders } = caller
      const conditions = conditionsOf(caller)
      if (change.flow !== undefined) {
        const built = await service.repair(account.id, id, change, conditions)
        responseHeaders[publishedHeader] = String(built.publication.isPublished)
        const { webhook_url: _, ...rest } = toWire(built, caller)
        return rest
      }
      const { row, updated } = await service.change(account.id, id, change, conditions)
      setVersionHeader(responseHeaders, row.live_version)
      return { data: { id, name: row.name, status: row.status, updated } }
    },

    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Automation deleted successfully' }
    },

    restore: async ({ id }, caller) => toRestored(await restore(caller.account.id, id, conditionsOf(caller)), caller),

    restoreVersion: async ({ id, number }, caller) =>
      toRestored(await restore(caller.account.id, id, { ...conditionsOf(caller), number }), caller),

    versions: async ({ id, limit }, { account }) => ({
      versions: await listVersionHistory(deps, account.id, id, limit),
    }),

    async version({ id, number, include_secrets }, { account, responseHeaders }) {
      const { row, version, restoredFrom, definition, binding } = await getVersion(deps, account.id, id, {
        number,
        secrets: include_secrets,
      })
      setVersionHeader(responseHeaders, row.live_version)
      const published_at = toIsoMillis(version.published_at ?? version.created_at)
      const about = {
        number,
        id: version.id,
        published_at,
        live: version.id === row.live_version,
        restored_from: restoredFrom,
      }
      return { data: { ...about, name: row.name, definition, binding } }
    },

    async runs({ id, limit, run_id }, caller) {
      const { account } = caller
      const isDetailed = wantsDetails(caller)
      const toRun = (run: RunRow) => ({ ...toBrief(run), ...(isDetailed && { testing: run.testing === 1 }) })
      if (run_id === undefined) return { runs: (await runs.list(account.id, id, limit)).map(toRun) }
      const { run, steps } = await runs.get(account.id, id, run_id)
      return {
        run: {
          ...toRun(run),
          steps: stepReports(steps).map((it) => toStep(it, isDetailed)),
          ...(isDetailed && { error: run.error }),
        },
      }
    },

    async listRuns({ automation_id, test, since, until, cursor, ...filters }, { account }) {
      const { data, next } = await records.list(account.id, {
        ...filters,
        automation: automation_id,
        testing: test,
        since: since === undefined ? undefined : Date.parse(since) * 1000,
        until: until === undefined ? undefined : Date.parse(until) * 1000,
        before: cursor === undefined ? undefined : Number(cursor),
      })
      return { data, next_cursor: next }
    },

    getRun: async ({ run_id, step, full }, { account }) => ({
      data: await records.get(account.id, run_id, { step, full }),
    }),

    cancelRun: async ({ run_id }, { account }) => ({ data: await cancelRun(deps, account.id, run_id) }),

    rerun: async ({ run_id, ...options }, caller) => ({
      data: await rerun(deps, caller.account.id, run_id, {
        ...options,
        onLatest: wantsLatest(caller),
        key: caller.key,
      }),
    }),

    async retry({ id, run_id }, caller) {
      const run = await runs.retry(caller.account.id, id, run_id, wantsLatest(caller), caller.key)
      return { run_id, status: run.status, note: retryNotes[run.status] }
    },

    async templates(_, caller) {
      const data = await templates.list()
      if (wantsDetails(caller)) return { data }
      return { data: data.map((it) => ({ ...it, params: it.params.map(({ choices: _choices, ...param }) => param) })) }
    },

    async apply({ key, ...application }, caller) {
      return toWire(await templates.apply(caller.account.id, key, { ...application, key: caller.key }), caller)
    },
  }
}

const retryNotes: Readonly<Record<RunRow['status'], string>> = {
  SUCCEEDED: 'The run resumed at the failed step and succeeded.',
  FAILED: 'The run resumed at the failed step and failed again.',
  PAUSED: 'The run resumed at the failed step and is waiting at a later step.',
  RUNNING: 'The run is resuming at the failed step.',
}

const toAutomation = ({ row, definition, binding }: AutomationDetails): Automation => ({
  id: row.id,
  name: row.name,
  status: row.status,
  updated_at: toIsoMillis(row.updated_at),
  definition,
  binding,
})

const toBrief = (run: RunRow) => ({
  id: run.id,
  status: run.status,
  start_time: toIsoMillis(run.created_at),
  duration_ms: durationMs(run.created_at, run),
})

const toRecentRuns = (runs: RecentRuns | undefined) => ({
  last_run: runs
    ? {
        id: runs.id,
        status: runs.cancelled_at === null ? runs.status : ('CANCELLED' as const),
        start_time: toIsoMillis(runs.created_at),
        error: runs.error,
      }
    : null,
  recent_runs: runs?.runs ?? 0,
  recent_failures: runs?.failures ?? 0,
})

const wantsDetails = ({ requestHeaders }: Caller): boolean => requestHeaders[detailsHeader] === detailsFull

/** Returns the fields of section 2.10, or all details of a step. */
const toStep = (step: RunStep, isDetailed: boolean): RunStep => (isDetailed ? step : TestedStep.parse(step))

/** Returns the conditions of a change from its headers and its key. @throws Failure 422 for an invalid value */
function conditionsOf({ requestHeaders, key }: Caller): ChangeConditions {
  const publishMode = requestHeaders[publishHeader]
  if (publishMode !== undefined && publishMode !== publishWhenTested)
    throw new Failure('invalid', { text: `Invalid header Parley-Publish: use ${publishWhenTested}.` })
  return { expected: requestHeaders[ifVersionHeader], requirePassingTest: publishMode !== undefined, key }
}

/** Returns whether a run continues on the live version. @throws Failure 422 for an invalid header */
function wantsLatest({ requestHeaders }: Caller): boolean {
  const version = requestHeaders[runVersionHeader]
  if (version !== undefined && version !== runVersionLatest)
    throw new Failure('invalid', { text: `Invalid header Parley-Run-Version: use ${runVersionLatest}.` })
  return version !== undefined
}

function setVersionHeader(headers: Record<string, string>, live: string | null): void {
  if (live !== null) headers[versionHeader] = live
}

function toWire({ isWebhook, publication, test, ...built }: BuildResult, caller: Caller): BuiltAutomation {
  const { origin, responseHeaders } = caller
  setVersionHeader(responseHeaders, publication.live)
  if (publication.run !== null) responseHeaders[runHeader] = publication.run
  const isDetailed = wantsDetails(caller)
  return {
    ...built,
    test: { ...test, steps: test.steps.map((it) => toStep(it, isDetailed)) },
    webhook_url: isWebhook ? `${origin}${webhookPath(built.automation_id)}` : null,
  }
}

function toRestored({ row, version, from }: RestoredVersion, { responseHeaders }: Caller): Restored {
  setVersionHeader(responseHeaders, version.id)
  const state = row.status === 'enabled' ? 'The automation stays enabled.' : 'The automation stays disabled.'
  const note = `Restored version ${from.position} as version ${version.position}. ${state} Another restore undoes this.`
  return { automation_id: row.id, name: row.name, status: row.status, restored_version_id: version.id, note }
}
