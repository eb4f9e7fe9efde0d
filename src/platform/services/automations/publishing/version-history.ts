import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { AutomationVersion, PublishedVersion } from '../../../../contract/automations/automation-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { toIsoMillis } from '../../../../contract/values/micros.ts'
import { diff } from '../../../../engine/analysis/diff.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { findAssistant } from '../../../store/assistants/assistants.ts'
import {
  findVersionByNumber,
  findVersionPositions,
  listVersions,
  type VersionRow,
} from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomation } from '../../../store/automations/automations.ts'
import { countRunsByVersion } from '../../../store/automations/runs.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Vault } from '../../runtime/vault.ts'
import { versionBinding } from './event-bindings.ts'
import { readDefinition } from './sealed-definitions.ts'

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
  const row = await findAutomation(connection.read, account, id)
  if (!row) throw new Failure('automate.not_found')
  // One more than shown, because the oldest version shown is compared with it.
  const rows = await listVersions(connection.read, id, limit + 1)
  const numbers = await findVersionPositions(
    connection.read,
    rows.flatMap((it) => it.restored_from ?? []),
  )
  const runs = await countRunsByVersion(connection.read, id)
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
export interface VersionDetails {
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
  const row = await findAutomation(connection.read, account, id)
  if (!row) throw new Failure('automate.not_found')
  const version = await findVersionByNumber(connection.read, id, number)
  if (!version) throw new Failure('automate.version_not_found')
  const from = version.restored_from
  const definition = readDefinition(vault, version)
  const versionEvent = versionBinding(version)
  const assistant = versionEvent && (await findAssistant(connection.read, account, versionEvent.assistant))
  return {
    row,
    version,
    restoredFrom: (from !== null && (await findVersionPositions(connection.read, [from])).get(from)) || null,
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
