import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { AutomationVersion, PublishedVersion } from '../../../../contract/automations/automation-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { type Micros, toIsoMillis } from '../../../../contract/values/micros.ts'
import { diff } from '../../../../engine/analysis/diff.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { readDefinition as validateDefinition } from '../../../../engine/definition/validate-definition.ts'
import { hashJson } from '../../../../node/canonical-json.ts'
import { isError } from '../../../../node/is-error.ts'
import { parseJson } from '../../../../node/json.ts'
import { requireValue } from '../../../../node/require-value.ts'
import { findAssistant } from '../../../store/assistants/assistants.ts'
import {
  deleteDrafts,
  findPreviousVersion,
  findVersion,
  findVersionByNumber,
  findVersionPositions,
  insertVersion,
  listVersions,
  nextVersionPosition,
  type VersionRow,
} from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomation, updateAutomationRow } from '../../../store/automations/automations.ts'
import { countRunsByVersion } from '../../../store/automations/runs.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { RestrictedKey } from '../../runtime/key-access.ts'
import type { Vault } from '../../runtime/vault.ts'
import { requireConnections } from '../ports/connection-service.ts'
import { activateTrigger } from '../triggers/trigger-activation.ts'
import { requireAllowedEffects } from './allowed-effects.ts'
import { compileProgram } from './automation-builder.ts'
import { newId } from './automation-ids.ts'
import { applyEngineFault } from './engine-faults.ts'
import { bindEvent, listBindings, requireFreeEvent, versionBinding } from './event-bindings.ts'
import { requireLiveVersion } from './require-live-version.ts'
import { readDefinition, sealDefinition } from './sealed-definitions.ts'

/**
 * Returns published versions, newest first, each with the steps that differ from the previous version. @throws Failure
 * 404
 */
export async function listVersionHistory(
  { connection, vault }: Pick<Deps, 'connection' | 'vault'>,
  account: number,
  id: string,
  limit: number,
): Promise<AutomationVersion[]> {
  const read = accountQuery(connection.read, account)
  const row = await findAutomation(read, id)
  if (!row) throw new Failure('automate.not_found')
  // One more than shown, because the oldest version shown is compared with it.
  const rows = await listVersions(read, id, limit + 1)
  const numbers = await findVersionPositions(
    read,
    rows.flatMap((it) => it.restored_from ?? []),
  )
  const runs = await countRunsByVersion(read, id)
  return rows.slice(0, limit).map((version, at) => ({
    number: version.position ?? 0,
    id: version.id,
    published_at: toIsoMillis(version.published_at ?? version.created_at),
    live: version.id === row.live_version,
    engine: version.engine,
    restored_from: (version.restored_from !== null && numbers.get(version.restored_from)) || null,
    runs: runs.get(version.id)?.runs ?? 0,
    failures: runs.get(version.id)?.failures ?? 0,
    changes: compareVersions(vault, version, rows[at + 1]),
  }))
}

/** A published version with its definition. */
interface VersionDetails {
  readonly row: AutomationRow
  readonly version: VersionRow
  /** Number of the version that this one restored; null for other versions. */
  readonly restoredFrom: number | null
  readonly definition: AutomationNode
  readonly binding: PublishedVersion['binding']
}

/** Returns one published version. Secrets are masked unless `secrets` is set. @throws Failure 404 */
export async function getVersion(
  { connection, vault }: Pick<Deps, 'connection' | 'vault'>,
  account: number,
  id: string,
  { number, secrets }: { number: number; secrets: boolean },
): Promise<VersionDetails> {
  const read = accountQuery(connection.read, account)
  const row = await findAutomation(read, id)
  if (!row) throw new Failure('automate.not_found')
  const version = await findVersionByNumber(read, id, number)
  if (!version) throw new Failure('automate.version_not_found')
  const from = version.restored_from
  const definition = readDefinition(vault, version)
  const versionEvent = versionBinding(version)
  const assistant = versionEvent && (await findAssistant(read, versionEvent.assistant))
  return {
    row,
    version,
    restoredFrom: (from !== null && (await findVersionPositions(read, [from])).get(from)) || null,
    definition: secrets ? definition : maskDefinition(definition),
    binding: versionEvent && {
      type: versionEvent.event,
      assistant_id: versionEvent.assistant,
      assistant_name: assistant?.name ?? null,
    },
  }
}

function compareVersions(
  vault: Vault,
  version: VersionRow,
  before: VersionRow | undefined,
): AutomationVersion['changes'] {
  if (!before) return null
  const stepNames = (all: readonly { readonly step: string }[]): string[] => all.map((it) => it.step)
  if (version.hash === before.hash) return { added: [], removed: [], moved: [], changed: [] }
  const { added, removed, moved, changed } = diff(readDefinition(vault, before), readDefinition(vault, version))
  return {
    added: stepNames(added),
    removed: stepNames(removed),
    moved: stepNames(moved),
    changed: changed.map(({ step, fields }) => ({ step, fields: fields.map((it) => it.path) })),
  }
}

/** The outcome of a restore. */
export interface RestoredVersion {
  readonly row: AutomationRow
  /** The version that is live now. */
  readonly version: VersionRow
  /** The earlier version with the same content. */
  readonly from: VersionRow
}

/** Options of a restore. */
interface RestoreOptions {
  /** Number of the version to restore (default: the version before the live one). */
  readonly number?: number | undefined
  /** Id of the live version the caller read. */
  readonly expected?: string | undefined
  /** The key that restores it, if it is restricted. */
  readonly key?: RestrictedKey | undefined
}

/**
 * Publishes the content of an earlier version as a new version. Versions are only added, and a second restore undoes
 * the first. The automation stays enabled or disabled.
 */
export function versionRestorer(deps: Deps) {
  const { connection, clock, vault } = deps

  /** Returns the automation and the version to restore. Changes nothing. */
  async function resolveVersion(
    account: number,
    id: string,
    number: number | undefined,
  ): Promise<{ row: AutomationRow; from: VersionRow }> {
    const read = accountQuery(connection.read, account)
    const row = await findAutomation(read, id)
    if (!row) throw new Failure('automate.missing')
    const live = row.live_version === null ? undefined : await findVersion(read, row.live_version)
    if (number === undefined) {
      const from = live?.position == null ? undefined : await findPreviousVersion(read, id, live.position)
      if (!from) throw new Failure('automate.no_previous_version')
      return { row, from }
    }
    const from = await findVersionByNumber(read, id, number)
    if (!from) throw new Failure('automate.version_missing')
    if (live && hasSameContent(live, from))
      throw new Failure('automate.already_live', {
        text: `Version ${number} has the same content as the live version (${live.position}). Nothing changed.`,
      })
    return { row, from }
  }

  /**
   * Returns the definition of a stored version. @throws Failure `rollback_failed` when it is damaged or no longer
   * accepted
   */
  async function readStoredDefinition(row: AutomationRow, from: VersionRow): Promise<AutomationNode> {
    await applyEngineFault(deps, 'rollback', 'automate.rollback_failed', { account: row.account_id, id: row.id })
    const trigger = readDefinition(vault, from)
    const isIntact = hashJson(trigger) === from.hash
    const read = isIntact && (await validateDefinition({ trigger }).catch((error: unknown) => error))
    if (!isIntact || isError(read)) {
      const why = isError(read) ? ` ${read.message}` : ' Its definition is damaged.'
      throw new Failure('automate.rollback_failed', { text: `The rollback failed. Nothing changed.${why}` })
    }
    return trigger
  }

  /**
   * Checks what a version needs to run: its assistant, its connections and its event. Changes nothing. @throws Failure
   * 422
   */
  async function requireFulfilledNeeds(query: AccountQuery, row: AutomationRow, from: VersionRow): Promise<void> {
    const { account_id: account, id } = row
    const binding = versionBinding(from)
    if (binding && !(await findAssistant(accountQuery(query, account), binding.assistant)))
      throw new Failure('automate.assistant_not_found', {
        text: `Assistant not found: ${binding.assistant}, which this version is bound to. Nothing changed.`,
      })
    await requireConnections(query, account, parseJson(from.connections))
    await requireFreeEvent(query, id, binding)
  }

  async function insertRestored(
    query: AccountQuery,
    row: AutomationRow,
    from: VersionRow,
    now: Micros,
    publication: Pick<VersionRow, 'position' | 'program' | 'published_at'>,
  ): Promise<VersionRow> {
    const { hash, definition, trigger_kind, event, assistant_id, connections, engine } = from
    return insertVersion(query, {
      id: await newId(query, deps, 'automation_version', `${row.id} ${now}`),
      account_id: row.account_id,
      automation_id: row.id,
      definition,
      hash,
      trigger_kind,
      event,
      assistant_id,
      connections,
      engine,
      restored_from: from.id,
      created_at: now,
      ...publication,
    })
  }

  /** Stores the version as a draft with the reason why it is not live. */
  async function saveAsDraft(row: AutomationRow, from: VersionRow, reason: string): Promise<VersionRow> {
    return connection.write({ account: row.account_id }, async (query) => {
      const draft = await insertRestored(query, row, from, await clock.now(query), {
        position: null,
        program: from.program,
        published_at: null,
      })
      await updateAutomationRow(query, row.id, { draft_version: draft.id, draft_note: reason })
      await deleteDrafts(query, row.id, draft.id)
      return draft
    })
  }

  /** Publishes the restored version in one transaction. A refusal changes nothing. */
  function publishRestored(
    { id, account_id: account }: AutomationRow,
    from: VersionRow,
    program: AutomationNode,
    expected: string | undefined,
    key: RestrictedKey | undefined,
  ): Promise<VersionRow> {
    return connection.write({ account }, async (query) => {
      const row = await findAutomation(query, id)
      if (!row) throw new Failure('automate.missing')
      await requireLiveVersion(query, row, expected)
      await requireFulfilledNeeds(query, row, from)
      const now = await clock.now(query)
      const isEnabled = row.status === 'enabled'
      // A disabled automation that holds no event does not claim one; it only must be able to.
      if (isEnabled || (await listBindings(query, account, [id])).has(id))
        await bindEvent(query, { automation: id, now }, versionBinding(from))
      const publication = {
        position: await nextVersionPosition(query, id),
        program: sealDefinition(vault, account, program),
        published_at: now,
      }
      const version = await insertRestored(query, row, from, now, publication)
      await updateAutomationRow(query, id, {
        live_version: version.id,
        draft_version: null,
        draft_note: null,
        key_id: key?.id ?? null,
        updated_at: now,
      })
      await deleteDrafts(query, id, version.id)
      if (isEnabled)
        await activateTrigger(query, {
          account,
          automation: id,
          kind: from.trigger_kind,
          trigger: readDefinition(vault, from),
          now,
        })
      return version
    })
  }

  return {
    /**
     * Restores an earlier version.
     * @throws Failure 404 `not_found`; 409 `version_changed`, `already_live`; 422 `no_previous_version`,
     * `rollback_failed`, `assistant_not_found`, `needs_connection`, `needs_reconnection`, `binding_conflict` (nothing
     * changed), `publish_failed` (restored as a draft, not live)
     */
    async restore(
      account: number,
      id: string,
      { number, expected, key }: RestoreOptions = {},
    ): Promise<RestoredVersion> {
      const { row, from } = await resolveVersion(account, id, number)
      await requireLiveVersion(accountQuery(connection.read, account), row, expected)
      const trigger = await readStoredDefinition(row, from)
      requireAllowedEffects(key, trigger)
      await requireFulfilledNeeds(accountQuery(connection.read, account), row, from)
      const program = await compileProgram(deps, row, from.trigger_kind, trigger).catch(async (error: unknown) => {
        if (!(error instanceof Failure)) throw error
        const draft = await saveAsDraft(row, from, error.message)
        const text = `The previous version was restored as a draft and is not live. ${error.message}`
        throw new Failure('automate.restored_as_draft', { text, details: { draft_version_id: draft.id } })
      })
      // Two concurrent restores must not undo each other.
      const version = await publishRestored(row, from, program, expected ?? row.live_version ?? undefined, key)
      return { row: requireValue(await findAutomation(accountQuery(connection.read, account), id)), version, from }
    },
  }
}

const hasSameContent = (a: VersionRow, b: VersionRow): boolean =>
  a.hash === b.hash && a.event === b.event && a.assistant_id === b.assistant_id
