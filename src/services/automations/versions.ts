import { diff } from '../../automation/definition/diff.ts'
import { maskDefinition } from '../../automation/definition/mask.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { AutomationVersion, PublishedVersion } from '../../contract/automation-records.ts'
import { Failure } from '../../contract/errors.ts'
import { toIsoMillis } from '../../events/clock.ts'
import { findAssistant } from '../../store/assistants.ts'
import { type AutomationRow, findAutomation, findVersionAt, listVersions, positionsOf, type VersionRow } from '../../store/automations.ts'
import type { Deps } from '../deps.ts'
import { bindingOf } from './bindings.ts'

/** Published versions, newest first, each with the steps that differ from the one before it. @throws Failure 404 */
export async function historyOf({ connection }: Pick<Deps, 'connection'>, account: number, id: string, limit: number): Promise<AutomationVersion[]> {
  const row = await findAutomation(connection.read, account, id)
  if (!row) throw new Failure('automate.not_found')
  // One more, which the oldest that is shown is compared with.
  const rows = await listVersions(connection.read, id, limit + 1)
  const numbers = await positionsOf(
    connection.read,
    rows.flatMap((it) => it.restored_from ?? []),
  )
  return rows.slice(0, limit).map((it, at) => ({
    number: it.position ?? 0,
    id: it.id,
    published_at: toIsoMillis(it.published_at ?? it.created_at),
    live: it.id === row.live_version,
    restored_from: (it.restored_from !== null && numbers.get(it.restored_from)) || null,
    changes: changesOf(it, rows[at + 1]),
  }))
}

export interface SeenVersion {
  readonly row: AutomationRow
  readonly version: VersionRow
  /** Number of the version whose content it has. */
  readonly restoredFrom: number | null
  readonly definition: AutomationNode
  readonly binding: PublishedVersion['binding']
}

/** One published version. Secrets are hidden unless asked for. @throws Failure 404 */
export async function versionAt(
  { connection }: Pick<Deps, 'connection'>,
  account: number,
  id: string,
  { number, secrets }: { number: number; secrets: boolean },
): Promise<SeenVersion> {
  const row = await findAutomation(connection.read, account, id)
  if (!row) throw new Failure('automate.not_found')
  const version = await findVersionAt(connection.read, id, number)
  if (!version) throw new Failure('automate.version_not_found')
  const from = version.restored_from
  const definition = JSON.parse(version.definition) as AutomationNode
  const bound = bindingOf(version)
  const assistant = bound && (await findAssistant(connection.read, account, bound.assistant))
  return {
    row,
    version,
    restoredFrom: (from !== null && (await positionsOf(connection.read, [from])).get(from)) || null,
    definition: secrets ? definition : maskDefinition(definition),
    binding: bound && { type: bound.event, assistant_id: bound.assistant, assistant_name: assistant?.name ?? null },
  }
}

function changesOf(version: VersionRow, before: VersionRow | undefined): AutomationVersion['changes'] {
  if (!before) return null
  const named = (all: readonly { readonly step: string }[]): string[] => all.map((it) => it.step)
  if (version.hash === before.hash) return { added: [], removed: [], moved: [], changed: [] }
  const { added, removed, moved, changed } = diff(JSON.parse(before.definition) as AutomationNode, JSON.parse(version.definition) as AutomationNode)
  return {
    added: named(added),
    removed: named(removed),
    moved: named(moved),
    changed: changed.map(({ step, fields }) => ({ step, fields: fields.map((it) => it.path) })),
  }
}
