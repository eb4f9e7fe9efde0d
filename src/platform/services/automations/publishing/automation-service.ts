import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { type Automation, countedRuns } from '../../../../contract/automations/automation-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import type { Micros } from '../../../../contract/values/micros.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { parseJson } from '../../../../node/json.ts'
import { failCalls } from '../../../runs/called-runs.ts'
import { releaseAutomationSlots } from '../../../store/assistants/event-slots.ts'
import { findVersion, type VersionRow } from '../../../store/automations/automation-versions.ts'
import {
  type AutomationPlace,
  type AutomationRow,
  deleteAutomation,
  findAutomation,
  listAutomations,
  listAutomationsWithDefinitions,
  updateAutomationRow,
} from '../../../store/automations/automations.ts'
import { listRecentRuns, type RecentRuns } from '../../../store/automations/runs.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { RestrictedKey } from '../../runtime/key-access.ts'
import { requireConnections } from '../ports/connection-service.ts'
import { activateTrigger, deactivateTrigger } from '../triggers/trigger-activation.ts'
import { requireAllowedEffects } from './allowed-effects.ts'
import { automationBuilder, type BuildResult } from './automation-builder.ts'
import { createBuildPlan, type FlowDraft } from './build-plan.ts'
import { bindEvent, listBindings, versionBinding } from './event-bindings.ts'
import { requireLiveVersion } from './require-live-version.ts'
import { readDefinition } from './sealed-definitions.ts'

/** The input for a new automation. */
interface AutomationDraft extends FlowDraft {
  readonly name: string
}

/** The input for a change to an automation. */
type AutomationChange = Partial<Omit<FlowDraft, 'bind_webhook' | 'key'>> & {
  readonly name?: string | undefined
  readonly enabled?: boolean | undefined
}

/** Conditions under which a change is made. */
export interface ChangeConditions {
  /** Id of the live version the caller read. The change is refused when another version is live. */
  readonly expected?: string | undefined
  /** Whether a new definition is published only when its test passes. */
  readonly requirePassingTest?: boolean
  /** The key that makes the change, if it is restricted. */
  readonly key?: RestrictedKey | undefined
}

/** An automation with one of its definitions. */
export interface AutomationDetails {
  readonly row: AutomationRow
  readonly definition: AutomationNode
  readonly binding: Automation['binding']
}

/** Rows that one query of a page of definitions reads, and the size of definitions after which the page ends, in characters. */
const pageQueryRows = 50
const maxPageSize = 4_000_000

/** Creates, reads, changes and deletes automations (sections 2.10, 4.17, 4.18, and the facts 2.11). */
export function automationService(deps: Deps) {
  const { connection, clock, vault } = deps
  const versionBuilder = automationBuilder(deps)

  async function requireAutomation(account: number, id: string): Promise<AutomationRow> {
    const row = await findAutomation(accountQuery(connection.read, account), id)
    if (!row) throw new Failure('automate.not_found')
    return row
  }

  const findVersionById = async (account: number, id: string | null): Promise<VersionRow | undefined> =>
    id === null ? undefined : findVersion(accountQuery(connection.read, account), id)

  /** Lets the trigger start runs. @throws Failure 422 for missing connections and for an event that is taken */
  async function enable(
    query: AccountQuery,
    row: AutomationRow,
    now: Micros,
    key: RestrictedKey | undefined,
  ): Promise<void> {
    const live = row.live_version === null ? undefined : await findVersion(query, row.live_version)
    if (!live)
      throw new Failure('automate.publish_failed', {
        text: 'The automation was never published. Send its definition again.',
      })
    const trigger = readDefinition(vault, live)
    requireAllowedEffects(key, trigger)
    await requireConnections(query, row.account_id, parseJson(live.connections))
    await bindEvent(query, { automation: row.id, now }, versionBinding(live))
    await activateTrigger(query, {
      account: row.account_id,
      automation: row.id,
      kind: live.trigger_kind,
      trigger,
      now,
    })
  }

  return {
    /** Creates an automation. @throws Failure 422 of section 7.5; nothing is stored then */
    async create(account: number, draft: AutomationDraft): Promise<BuildResult> {
      const plan = await createBuildPlan(deps, account, draft)
      return versionBuilder.create(account, draft.name, plan, draft)
    },

    async list(account: number): Promise<{ readonly row: AutomationRow; readonly binding: Automation['binding'] }[]> {
      const bindings = await listBindings(accountQuery(connection.read, account), account)
      return (await listAutomations(accountQuery(connection.read, account))).map((row) => ({
        row,
        binding: bindings.get(row.id) ?? null,
      }))
    },

    /** Returns the newest live run of each automation, with the failures among its last runs. */
    async recentRuns(account: number): Promise<ReadonlyMap<string, RecentRuns>> {
      const found = await listRecentRuns(accountQuery(connection.read, account), countedRuns)
      return new Map(found.map((it) => [it.automation_id, it]))
    },

    /**
     * Returns at most `limit` automations with their live definitions, in the order of creation. Secrets are masked. `next` is
     * the place after them, if there may be more.
     */
    async listDefinitions(
      account: number,
      { after, limit }: { readonly after: AutomationPlace | undefined; readonly limit: number },
    ): Promise<{ readonly automations: readonly AutomationDetails[]; readonly next: AutomationPlace | undefined }> {
      const query = accountQuery(connection.read, account)
      const rows: Awaited<ReturnType<typeof listAutomationsWithDefinitions>> = []
      let next = after
      // Definitions differ in size by a thousand times, so that a page of many is read in parts.
      for (let size = 0; rows.length < limit && size < maxPageSize; ) {
        const count = Math.min(pageQueryRows, limit - rows.length)
        const found = await listAutomationsWithDefinitions(query, next, count)
        rows.push(...found)
        next = found.length < count ? undefined : found.at(-1)
        if (next === undefined) break
        for (const { definition } of found) size += definition.length
      }
      const ids = rows.map((row) => row.id)
      const bindings = await listBindings(query, account, ids)
      const automations = rows.map((row) => ({
        row,
        definition: maskDefinition(readDefinition(vault, row)),
        binding: bindings.get(row.id) ?? null,
      }))
      return { automations, next }
    },

    /**
     * Returns the live definition. With `draft`, returns the unpublished draft if there is one. Secrets are masked
     * unless `secrets` is set. @throws Failure 404
     */
    async get(
      account: number,
      id: string,
      { secrets, draft }: { secrets: boolean; draft: boolean },
    ): Promise<AutomationDetails> {
      const row = await requireAutomation(account, id)
      const version =
        (draft ? await findVersionById(account, row.draft_version) : undefined) ??
        (await findVersionById(account, row.live_version)) ??
        (await findVersionById(account, row.draft_version))
      if (!version) throw new Failure('automate.not_found')
      const definition = readDefinition(vault, version)
      const bindings = await listBindings(accountQuery(connection.read, account), account, [id])
      return { row, definition: secrets ? definition : maskDefinition(definition), binding: bindings.get(id) ?? null }
    },

    /**
     * Renames, enables or disables an automation in one transaction. `updated` says whether anything changed. @throws
     * Failure 404, 409 `version_changed`, 422
     */
    change(
      account: number,
      id: string,
      { name, enabled }: Pick<AutomationChange, 'name' | 'enabled'>,
      { expected, key }: ChangeConditions = {},
    ): Promise<{ row: AutomationRow; updated: boolean }> {
      return connection.write({ account }, async (query) => {
        const row = await findAutomation(query, id)
        if (!row) throw new Failure('automate.not_found')
        await requireLiveVersion(query, row, expected)
        const isRenamed = name !== undefined && name !== row.name
        const isToggled = enabled !== undefined && enabled !== (row.status === 'enabled')
        if (!isRenamed && !isToggled) return { row, updated: false }
        const now = await clock.now(query)
        if (isToggled && enabled) await enable(query, row, now, key)
        else if (isToggled) await deactivateTrigger(query, id)
        const status: AutomationRow['status'] = (isToggled ? enabled : row.status === 'enabled')
          ? 'enabled'
          : 'disabled'
        const enabler = isToggled && enabled ? { key_id: key?.id ?? null } : {}
        const changed = { ...(isRenamed && { name }), ...enabler, status, updated_at: now }
        await updateAutomationRow(query, id, changed)
        return { row: { ...row, ...changed }, updated: true }
      })
    },

    /**
     * Replaces the definition: publishes and tests it, and enables the automation unless the test fails. With
     * `requirePassingTest` the definition is tested first and published only if the test passes, and the automation
     * stays enabled or disabled.
     * @throws Failure 404, 409 `version_changed`, 422; the live version does not change then
     */
    async repair(
      account: number,
      id: string,
      change: AutomationChange,
      { expected, requirePassingTest = false, key }: ChangeConditions = {},
    ): Promise<BuildResult> {
      const row = await requireAutomation(account, id)
      await requireLiveVersion(accountQuery(connection.read, account), row, expected)
      const before = await findVersionById(account, row.live_version)
      const draft: FlowDraft = { ...change, flow: change.flow, key }
      const plan = await createBuildPlan(deps, account, draft, before, id)
      const options = { expected, enabled: change.enabled, name: change.name }
      return requirePassingTest
        ? versionBuilder.stage(row, plan, draft, options)
        : versionBuilder.repair(row, plan, draft, options)
    },

    /**
     * Deletes an automation with its versions and runs. A run in progress ends at its current step. @throws Failure 404
     */
    async delete(account: number, id: string): Promise<void> {
      await requireAutomation(account, id)
      await connection.write({ account }, async (query) => {
        await releaseAutomationSlots(query, id)
        await deactivateTrigger(query, id)
        await failCalls(query, id, await clock.now(query))
        await deleteAutomation(query, id)
      })
    },
  }
}
