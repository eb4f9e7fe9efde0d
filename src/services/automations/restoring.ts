import { readDefinition } from '../../automation/definition/examine.ts'
import { contentHash } from '../../automation/definition/publish.ts'
import { Failure } from '../../contract/errors.ts'
import { findAssistant } from '../../store/assistants.ts'
import {
  type AutomationRow,
  changeAutomation,
  changeVersion,
  deleteDrafts,
  findAutomation,
  findVersion,
  insertVersion,
  nextPosition,
  type VersionRow,
  versionBefore,
} from '../../store/automations.ts'
import type { Deps } from '../deps.ts'
import { arm } from './arming.ts'
import { bind, bindingOf, bindingsOf, refuseConflict } from './bindings.ts'
import { programFor } from './building.ts'
import { checkConnections } from './connections.ts'
import { askEngine } from './engine.ts'
import { newId } from './ids.ts'

export interface RestoredVersion {
  readonly row: AutomationRow
  readonly version: VersionRow
  /** The one whose content is live again. */
  readonly from: VersionRow
}

/**
 * Brings back the version published right before the live one, as a new version with its content: history only grows, and restoring again undoes it.
 * Whether the automation is on stays as it is.
 */
export function restorer(deps: Deps) {
  const { connection, clock } = deps

  /** The version to bring back. Nothing is changed by finding out. */
  async function wanted(account: number, id: string): Promise<{ row: AutomationRow; from: VersionRow }> {
    const row = await findAutomation(connection.read, account, id)
    if (!row) throw new Failure('automate.missing')
    const live = row.live_version === null ? undefined : await findVersion(connection.read, row.live_version)
    const from = live?.position == null ? undefined : await versionBefore(connection.read, id, live.position)
    if (!from) throw new Failure('automate.no_previous_version')
    return { row, from }
  }

  async function draftOf(row: AutomationRow, from: VersionRow): Promise<VersionRow> {
    await askEngine(deps, 'rollback', 'automate.rollback_failed', { account: row.account_id, id: row.id })
    const trigger = JSON.parse(from.definition)
    const isWhole = contentHash(trigger) === from.hash
    const read = isWhole && (await readDefinition({ trigger }).catch((error: unknown) => error))
    if (!isWhole || read instanceof Error) {
      const why = read instanceof Error ? ` ${read.message}` : ' Its definition is damaged.'
      throw new Failure('automate.rollback_failed', { text: `The rollback failed; nothing changed.${why}` })
    }
    return connection.write(async (query) => {
      const now = await clock.now(query)
      const { hash, definition, program, trigger_kind, event, assistant_id, connections } = from
      const version = await insertVersion(query, {
        id: await newId(query, deps, 'automation_version', `${row.id} ${now}`),
        account_id: row.account_id,
        automation_id: row.id,
        position: null,
        definition,
        program,
        hash,
        trigger_kind,
        event,
        assistant_id,
        connections,
        restored_from: from.id,
        created_at: now,
        published_at: null,
      })
      await changeAutomation(query, row.id, { draft_version: version.id, draft_note: null })
      await deleteDrafts(query, row.id, version.id)
      return version
    })
  }

  async function publish({ id, account_id: account }: AutomationRow, draft: VersionRow): Promise<void> {
    const trigger = JSON.parse(draft.definition)
    const program = await programFor(deps, { id, account_id: account }, draft.trigger_kind, trigger)
    await connection.write(async (query) => {
      const row = await findAutomation(query, account, id)
      if (!row) throw new Failure('automate.missing')
      const now = await clock.now(query)
      const binding = bindingOf(draft)
      if (binding && !(await findAssistant(query, account, binding.assistant))) throw new Failure('automate.assistant_not_found')
      await checkConnections(query, account, JSON.parse(draft.connections))
      const holds = (await bindingsOf(query, account, id)).has(id)
      // One that is off and holds nothing only has to know that it could.
      if (row.status === 'enabled' || holds) await bind(query, { account, automation: id, now }, binding)
      else await refuseConflict(query, id, binding)
      await changeVersion(query, draft.id, { position: await nextPosition(query, id), program: JSON.stringify(program), published_at: now })
      await changeAutomation(query, id, { live_version: draft.id, draft_version: null, draft_note: null, updated_at: now })
      if (row.status === 'enabled') await arm(query, { account, automation: id, kind: draft.trigger_kind, trigger, now })
    })
  }

  return {
    /** @throws Failure 404 `not_found`; 422 `no_previous_version`, `rollback_failed` (nothing changed), `publish_failed` (restored as a draft, not live) */
    async restore(account: number, id: string): Promise<RestoredVersion> {
      const { row, from } = await wanted(account, id)
      const draft = await draftOf(row, from)
      try {
        await publish(row, draft)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const text = `The previous version was restored as a draft and is not live. ${error.message}`
        await connection.write((query) => changeAutomation(query, id, { draft_note: error.message }))
        throw new Failure('automate.restored_as_draft', { text, extra: { draft_version_id: draft.id } })
      }
      const [after, version] = [await findAutomation(connection.read, account, id), await findVersion(connection.read, draft.id)]
      return { row: after as AutomationRow, version: version as VersionRow, from }
    },
  }
}
