import type { automate } from '../../contract/automate.ts'
import type { BuiltAutomation } from '../../contract/automation-records.ts'
import { toIsoMillis } from '../../events/clock.ts'
import type { Built } from '../../services/automations/building.ts'
import { hookPath } from '../../services/automations/hooks.ts'
import { stepReports } from '../../services/automations/reports.ts'
import { restorer } from '../../services/automations/restoring.ts'
import { runService } from '../../services/automations/runs.ts'
import { templateService } from '../../services/automations/templates.ts'
import { historyOf } from '../../services/automations/versions.ts'
import { automationService } from '../../services/automations.ts'
import type { Deps } from '../../services/deps.ts'
import type { RunRow } from '../../store/runs.ts'
import type { HandlersOf } from '../handler.ts'

/** Built, but its test failed, is 200 where built and live is 201; an update is 200 either way. */
export const statusOf = (verb: string, answer: unknown): number | undefined =>
  (verb === 'create' || verb === 'apply') && (answer as BuiltAutomation).status === 'test_failed' ? 200 : undefined

export function automationHandlers(deps: Deps): HandlersOf<typeof automate> {
  const service = automationService(deps)
  const runs = runService(deps)
  const { restore } = restorer(deps)
  const templates = templateService(deps)

  return {
    async create(draft, { account, origin }) {
      return toWire(await service.create(account.id, draft), origin)
    },

    list: async (_, { account }) => ({
      data: (await service.list(account.id)).map(({ row, binding }) => ({ id: row.id, name: row.name, status: row.status, binding })),
    }),

    async get({ id, include_secrets, draft }, { account }) {
      const { row, definition, binding } = await service.get(account.id, id, { secrets: include_secrets, draft })
      return { data: { id, name: row.name, status: row.status, updated_at: toIsoMillis(row.updated_at), definition, binding } }
    },

    async update({ id, ...change }, { account }) {
      if (change.flow !== undefined) {
        const { isWebhook: _, ...built } = await service.repair(account.id, id, change)
        return built
      }
      const { row, updated } = await service.change(account.id, id, change)
      return { data: { id, name: row.name, status: row.status, updated } }
    },

    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Automation deleted successfully' }
    },

    async restore({ id }, { account }) {
      const { row, version, from } = await restore(account.id, id)
      const when = from.published_at === null ? '' : ` of ${toIsoMillis(from.published_at)}`
      const state = row.status === 'enabled' ? 'The automation is on.' : 'The automation stays off.'
      const note = `The version${when} is live again as a new one. ${state} Restoring again undoes this.`
      return { automation_id: id, name: row.name, status: row.status, restored_version_id: version.id, note }
    },

    versions: async ({ id, limit }, { account }) => ({ versions: await historyOf(deps, account.id, id, limit) }),

    async runs({ id, limit, run_id }, { account }) {
      if (run_id === undefined) return { runs: (await runs.list(account.id, id, limit)).map(toBrief) }
      const { run, steps } = await runs.get(account.id, id, run_id)
      return { run: { ...toBrief(run), steps: stepReports(steps), error: run.error } }
    },

    async retry({ id, run_id }, { account }) {
      const run = await runs.retry(account.id, id, run_id)
      return { run_id, status: run.status, note: notes[run.status] }
    },

    templates: async () => ({ data: await templates.list() }),

    async apply({ key, ...application }, { account, origin }) {
      return toWire(await templates.apply(account.id, key, application), origin)
    },
  }
}

const notes: Readonly<Record<RunRow['status'], string>> = {
  SUCCEEDED: 'The run went on at the step that failed, and ended well.',
  FAILED: 'The run went on at the step that failed, and failed again.',
  PAUSED: 'The run went on at the step that failed, and waits at a later one.',
  RUNNING: 'The run goes on at the step that failed.',
}

const toBrief = (run: RunRow) => ({
  id: run.id,
  status: run.status,
  start_time: toIsoMillis(run.created_at),
  duration_ms: run.finished_at === null ? null : Math.max(0, Math.round((run.finished_at - run.created_at) / 1000)),
  testing: run.testing === 1,
})

const toWire = ({ isWebhook, ...built }: Built, origin: string): BuiltAutomation => ({
  ...built,
  webhook_url: isWebhook ? `${origin}${hookPath(built.automation_id)}` : null,
})
